"""The rules, one file a chapter of the rulebook.

Every function is compiled. Where they are needed, it takes the record of the state (``state``) and the record of the
values printed on the components (``components``). It assumes that what it is asked to do is legal; `legal` says what
is.
"""
