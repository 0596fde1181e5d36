"""An independent implementation of Dune (1979), written from the specification alone and shared with nothing."""
