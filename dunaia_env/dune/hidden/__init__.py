"""What seats do not know: views, and samples of the states that agree with them."""
