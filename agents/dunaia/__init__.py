"""Networks that read the pieces of Dunaïa."""
