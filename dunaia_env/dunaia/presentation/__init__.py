"""How Dunaïa is shown to people: its picture, its pieces, and its wording in English and French."""
