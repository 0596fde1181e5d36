"""An independent implementation of Dune (1979), written from the specification alone and shared with nothing.

`board` and `components` hold what is printed, `table` the position and the acts that every chapter needs, then one
file a chapter: `setup`, `storm`, `nexus`, `bidding`, `revival`, `movement`, `battle`, `cards`, `ending`. Each chapter
is a generator that reads like the rules: it stops at every decision and continues with the action chosen. `state`
makes the state dictionary and what a seat sees of it, `game` puts all together. `play` plays random games,
`invariants` says what holds at every decision of them, `check` plays a trace again, `staging` plays one chapter from
a position made by hand.
"""
