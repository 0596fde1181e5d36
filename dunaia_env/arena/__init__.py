"""Measure which agents play better: tournaments, their records, statistics and reports."""
