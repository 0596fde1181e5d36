"""What people who do not know Dunaïa are told, in French."""

from __future__ import annotations

from typing import Final

ABOUT: Final = "Bâtissez un village avec l'aide de six robots. Vite appris, une demi-heure environ."

# The lessons of the primer: their titles and texts by key.
LESSONS: Final = {
    "village": (
        "Votre village",
        (
            "Vous avez neuf emplacements et six robots, les Dunaïas. Chaque Dunaïa porte un numéro et se tient "
            "entre deux emplacements."
        ),
    ),
    "die": (
        "1. Prendre un dé",
        (
            "Tout le monde puise dans les mêmes dés. Le chiffre que vous prenez désigne le Dunaïa qui travaille "
            "pendant ce tour."
        ),
    ),
    "wake": (
        "2. Réveiller un Dunaïa",
        (
            "Il agit sur les deux emplacements voisins. Un emplacement libre donne ce qui y est imprimé : une "
            "fleur, qui sert de monnaie, ou une puce mémoire. Un bâtiment en construction avance d'une case."
        ),
    ),
    "recycle": (
        "3. Recycler le dé",
        (
            "Choisissez une seule chose : une fleur, un déplacement de Dunaïa, une puce ou un nouveau bâtiment, "
            "payé en fleurs. Les bâtiments finis de niveau I offrent davantage, les vôtres comme ceux des autres."
        ),
    ),
    "buildings": (
        "Trois niveaux",
        (
            "Les bâtiments de niveau I servent quand on recycle un dé, ceux de niveau II quand un Dunaïa se "
            "réveille à côté. Ceux de niveau III rapportent des points, surtout si leurs flèches visent les bonnes "
            "couleurs."
        ),
    ),
    "elders": (
        "Les anciens",
        (
            "Trois puces appellent un ancien, qui aide aussitôt et vous donne le tiers d'un artefact. Les artefacts"
            " complets valent des points."
        ),
    ),
    "prophecies": (
        "4. Les prophéties",
        "Qui remplit le premier la condition d'une prophétie à la fin de son tour la prend, avec ses points.",
    ),
    "end": (
        "La fin",
        (
            "La troisième prophétie prise, ou un village complet, annonce le dernier tour de table. On compte alors"
            " bâtiments, flèches, prophéties, artefacts et fleurs."
        ),
    ),
}

# What to think of in a first turn, by decision.
TIPS: Final = {
    "DRAFT": (
        "Chaque personnage assouplit une règle. Le marchand convient bien à une première partie : avec lui, les"
        " bâtiments coûtent moins cher."
    ),
    "CHOOSE_DIE": (
        "Cherchez votre robot qui porte le même chiffre : il agira sur les deux emplacements voisins. Les "
        "fleurs achètent des bâtiments, les puces appellent les anciens. Pour commencer, n'importe quel dé "
        "convient."
    ),
    "AWAKEN": (
        "Votre robot agit sur les deux emplacements ; vous ne choisissez que l'ordre. Tant qu'ils sont libres, "
        "il n'a guère d'importance."
    ),
    "RECYCLE": (
        "Pouvez-vous payer un bâtiment disponible ? Cliquez dessus, puis sur un emplacement libre à côté d'un "
        "de vos robots : il avancera à chaque réveil de ce robot. Sinon, prenez une fleur pour le tour suivant."
    ),
    "BEFORE_PROPHECY": "Rien n'est obligatoire ici. Continuez, sauf si vous voulez appeler un ancien avec vos puces.",
    "END_TURN": "Rien n'est obligatoire ici. Continuez pour finir votre tour.",
    "MOVE": (
        "Placez le robot près d'emplacements qui vous serviront bientôt, par exemple un bâtiment en construction."
    ),
    "PLUG": "Chaque chiffre n'a qu'une place. Les chiffres sous les anciens disent quelles puces les appellent.",
    "DISCARD": "Payez avec une puce qu'aucun ancien ne demande.",
    "ADVANCE": "Choisissez le bâtiment le plus près d'être fini.",
    "SEARCH": "Vous voyez toutes les tuiles de la pile. Prenez-en une dont les couleurs vont avec votre village.",
    "PLACE": "Un emplacement libre à côté d'un robot convient bien : le bâtiment avance quand le robot se réveille.",
    "COLOUR": "Posez-le là où une flèche demande cette couleur.",
}
