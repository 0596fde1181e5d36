"""The rules, one file for each chapter of the rulebook.

Every function is compiled. ``state`` is the record of the state, and ``components`` is the record of the values printed
on the components. Functions assume that what they are asked to do is legal; `legal` lists what is legal.
"""
