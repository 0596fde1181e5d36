"""What a seat observes: the layout of the observation, and how it is encoded."""
