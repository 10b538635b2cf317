% Ways through a network of paths, and how long they are.
:- module(paths, [way/4, nearest/3]).
:- dynamic path/3.
:- discontiguous closed/1.

path(mill, bridge, 4).
path(bridge, church, 2).
path(bridge, 'old farm', 7).
path(church, 'old farm', 3).
closed(church).

/* Both directions. */
step(A, B, Length) :- path(A, B, Length).
step(A, B, Length) :- path(B, A, Length).

way(From, To, Way, Length) :-
    walk(From, To, [From], Back, 0, Length),
    reverse(Back, Way).

walk(To, To, Seen, Seen, Length, Length).
walk(At, To, Seen, Way, Before, Length) :-
    step(At, Next, More),
    \+ closed(Next),
    \+ member(Next, Seen),
    Sum is Before + More,
    walk(Next, To, [Next|Seen], Way, Sum, Length).

nearest(From, Places, Best) :-
    findall(Length-Place, ( member(Place, Places), way(From, Place, _Way, Length) ), All),
    (   All = []
    ->  Best = none
    ;   keysort(All, [_-Best|_])
    ).

longest([], 0).
longest([_Place-Length|Rest], Longest) :-
    longest(Rest, Other),
    (   Length >= Other -> Longest = Length ; Longest = Other ).

name(From, To, Text) :-
    atomic_list_concat([From, " - ", To], Text),
    !.
name(_, _, '?\n').

report(Length) --> "length: ", digits(Length), [0'm], { Length mod 2 =:= 0 ; Length > 0x10 }.
