"""Programs that train players and compare learning algorithms."""

import os

# NumPy and torch read these variables when they are imported. NumPy's products are too small here to gain from threads.
# torch's threads should sleep while they wait: threads that spin are a hundred times slower beside a busy process.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
