"""The documentation's generated parts: ``python -m docs.generate``."""
