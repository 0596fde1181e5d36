"""What leaders and territories are called in French, with their articles, by their printed names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ARTICLES = ("le ", "la ", "l'", "les ", "un ", "une ")


def bare(name: str) -> str:
    """A name without its article; a name that is nothing else is left as it is."""
    return next((name.removeprefix(one) for one in ARTICLES if name.startswith(one) and name != one), name)


LEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Lady Jessica": "dame Jessica",
        "Dr. Wellington Yueh": "le Dr Wellington Yueh",
        "Beast Rabban": "Rabban la Bête",
        "Captain Iakin Nefud": "le capitaine Iakin Nefud",
        "Captain Aramsham": "le capitaine Aramsham",
        "Caid": "le Caïd",
        "Burseg": "le Burseg",
        "Bashar": "le Bashar",
        "Shadout Mapes": "la Shadout Mapes",
        "Master Bewt": "maître Bewt",
        "Guild Representative": "le représentant de la Guilde",
        "Margot Lady Fenring": "dame Margot Fenring",
        "Mother Ramallo": "mère Ramallo",
        "Princess Irulan": "la princesse Irulan",
        "Face Dancer": "le Danseur-Visage",
    }
)
# Twelve of these names stand in the rulebook, and components print them. The others are translations.
_TERRITORIES = {
    "Arrakeen": "Arrakeen",
    "Arsunt": "Arsunt",
    "Basin": "le Bassin",
    "Bight of the Cliff": "la Baie de la Falaise",
    "Broken Land": "les Terres Brisées",
    "Carthag": "Carthag",
    "Cielago Depression": "la Dépression de Cielago",
    "Cielago East": "Cielago-Est",
    "Cielago North": "Cielago-Nord",
    "Cielago South": "Cielago-Sud",
    "Cielago West": "Cielago-Ouest",
    "False Wall East": "le Faux Mur-Est",
    "False Wall South": "le Faux Mur-Sud",
    "False Wall West": "le Faux Mur-Ouest",
    "Funeral Plain": "la Plaine Funèbre",
    "Gara Kulon": "Gara Kulon",
    "Habbanya Erg": "l'Erg de Habbanya",
    "Habbanya Ridge Flat": "la Plaine de la Chaîne de Habbanya",
    "Habbanya Sietch": "le Sietch de la Chaîne de Habbanya",
    "Hagga Basin": "le Bassin de Hagga",
    "Harg Pass": "la Passe de Harg",
    "Hole in the Rock": "le Trou dans le Roc",
    "Imperial Basin": "le Bassin Impérial",
    "Meridian": "le Méridien",
    "Old Gap": "la Vieille Brèche",
    "Pasty Mesa": "la Mesa Molle",
    "Plastic Basin": "le Bassin Plastique",
    "Polar Sink": "la Cuvette Polaire",
    "Red Chasm": "le Gouffre Rouge",
    "Rim Wall West": "le Mur Ouest",
    "Rock Outcroppings": "les Affleurements Rocheux",
    "Shield Wall": "le Mur du Bouclier",
    "Sietch Tabr": "le Sietch Tabr",
    "Sihaya Ridge": "la Crête de Sihaya",
    "South Mesa": "la Mesa-Sud",
    "The Great Flat": "la Grande Plaine",
    "The Greater Flat": "la Très Grande Plaine",
    "The Minor Erg": "l'Erg Mineur",
    "Tsimpo": "Tsimpo",
    "Tuek's Sietch": "le Sietch de Tuek",
    "Wind Pass": "la Passe du Vent",
    "Wind Pass North": "la Passe du Vent-Nord",
}
TERRITORIES: Mapping[str, str] = MappingProxyType(_TERRITORIES | {bare(name): name for name in _TERRITORIES.values()})
