"""A comparison of learning algorithms: the algorithms, the trainings, their statistics."""
