"""The game Dune (1979): what lies on the table, as data; states and actions, and their texts."""
