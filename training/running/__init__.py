"""How a training runs and goes on: processes, checkpoints, health, and what it tells its user."""
