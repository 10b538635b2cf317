// SPDX-License-Identifier: MIT
pragma solidity >=0.8.0 <0.9.0;

interface IBell {
    event Rung(address indexed by, uint8 times);

    function ring(uint8 times) external payable;
    function silent() external view returns (bool);
}

/* Functions of libraries need not be external. */
library Hours {
    function ofDay(uint256 time) internal pure returns (uint8) {
        return uint8(time / 1 hours % 24);
    }
}

abstract contract Tower {
    function height() public view virtual returns (uint256);
    function secret() internal virtual;
}

contract Bell is IBell, Tower {
    address private keeper = msg.sender;
    uint256 public rung;

    modifier awake() {
        require(Hours.ofDay(block.timestamp) > 6, "asleep");
        _;
    }

    function ring(uint8 times) external payable override awake {
        unchecked { rung += times; }
        emit Rung(msg.sender, times);
    }

    function silent() public view override returns (bool) { return rung == 0; }
    function height() public pure override returns (uint256) { return 31; }
    function secret() internal override { rung = 0x00; }
}
