"""Who plays better: tournaments between agents, their records, statistics and reports."""
