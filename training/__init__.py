"""Who learns, compares and judges: programs that run from the checkout as ``python -m training.<name>``."""
