"""How Dune is shown to people."""
