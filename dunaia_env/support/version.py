"""The version of the package; the build reads it from this file, too."""

__version__ = "1.0.0"
