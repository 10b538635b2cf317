// SPDX-License-Identifier: MIT
pragma solidity ^0.8.19;

import "./Owned.sol";
import {Clock as Time, Calendar} from "./Time.sol";

/// Where berths are asked for and paid.
interface IHarbour {
    struct Berth {
        uint64 length;
        address holder;
        uint256 paidUntil;
    }

    enum State { Free, Asked, Taken }

    event Taken(uint256 indexed berth, address indexed holder, uint256 until);
    error TooLong(uint256 berth, uint64 length);

    function ask(uint256 berth, uint64 length) external;
    function pay(uint256 berth) external payable returns (uint256 until);
    function state(uint256 berth) external view returns (State);
    function leave(uint256 berth) external virtual;
}

/// What a berth costs. The office may put another in its place.
interface ITariff {
    type Days is uint32;

    function daily(uint64 length, bool winter) external pure returns (uint256);
    function reduced(address holder) view returns (bool);
    function onPaid(
        address holder,
        uint256 amount,
        function (uint256) external returns (bool) back
    ) external;
}

library Lengths {
    uint64 internal constant LONGEST = 42;

    function fits(uint64 room, uint64 length) internal pure returns (bool) {
        return length > 0 && length <= room && room <= LONGEST;
    }
}

function atLeast(uint256 a, uint256 b) pure returns (uint256) {
    return a < b ? b : a;
}

contract Harbour is IHarbour, Owned(msg.sender) {
    using Lengths for uint64;

    ITariff public tariff;
    mapping(uint256 => Berth) private berths;
    uint256[] internal free;
    uint256 public constant DAY = 1 days;
    bytes4 immutable mark = hex"b3e7";

    modifier onlyHolder(uint256 berth) {
        require(berths[berth].holder == msg.sender, "not yours");
        _;
    }

    constructor(ITariff first, uint64[] memory lengths) {
        tariff = first;
        for (uint256 i = 0; i < lengths.length; i++) {
            berths[i].length = lengths[i];
            free.push(i);
        }
    }

    function ask(uint256 berth, uint64 length) external override {
        if (!berths[berth].length.fits(length)) {
            revert TooLong(berth, length);
        }
        require(state(berth) == State.Free, 'not free');
        berths[berth].holder = msg.sender;
    }

    function pay(uint256 berth) external payable override onlyHolder(berth) returns (uint256 until) {
        Berth storage one = berths[berth];
        uint256 cost = tariff.daily(one.length, false);
        if (tariff.reduced(msg.sender)) cost -= cost / 4;
        until = atLeast(block.timestamp, one.paidUntil) + msg.value / cost * DAY;
        one.paidUntil = until;
        emit Taken(berth, msg.sender, until);
    }

    function state(uint256 berth) public view override returns (State) {
        Berth memory one = berths[berth];
        if (one.holder == address(0)) return State.Free;
        return one.paidUntil < block.timestamp ? State.Asked : State.Taken;
    }

    function leave(uint256 berth) external override onlyHolder(berth) {
        delete berths[berth];
        free.push(berth);
    }

    /* The office takes what was paid. */
    function collect(address payable to, uint256 amount) public onlyOwner {
        (bool sent, ) = to.call{value: amount}("");
        require(sent);
    }

    receive() external payable {}
}
