"""The rules of Dune (1979), compiled, with one file for each chapter.

What the chapters share is in `common`. Questions about a Karama are in `karama`. `legal` lists the actions of a
decision, `play` applies an action, and `dispatch` finds the function of a decision or step in the chapters.
"""
