"""Who learns, compares and judges: programs that run from the checkout as ``python -m training.<name>``."""

import os

# Read when NumPy and torch are loaded. Their threads wait for each other by spinning, which is a hundredfold slower where
# another process is busy: NumPy's products are too small for threads here, and torch's threads had better sleep.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
