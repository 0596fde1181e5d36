"""The rules, one file a chapter of the rulebook.

Every function takes the state record ``s`` and the record of the printed components ``t`` (where it needs them) and is
compiled; it assumes that what it is asked to do is legal (`legal` says what is).
"""
