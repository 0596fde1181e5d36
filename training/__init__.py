"""Training and comparing learning algorithms: programs that run from the checkout as ``python -m training.<name>``."""

import os

# Both are read when NumPy and torch are loaded. Threads that wait for each other by spinning are a hundred times slower
# where another process is busy: NumPy's products are too small for threads here, and torch's threads should sleep.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
