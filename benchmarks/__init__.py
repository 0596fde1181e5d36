"""Speed measurements, run by hand: ``python -m benchmarks.engine``."""
