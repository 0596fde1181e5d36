"""The questions of a study, a file for each: how it is measured, drawn, tabulated and put into words."""
