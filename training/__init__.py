"""Who learns, compares and judges: programs that run from the checkout as ``python -m training.<name>``."""

import os

# NumPy's products here are small. Its threads gain nothing, and lose a hundredfold where another process is busy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
