"""What people who do not know Dunaïa are told, in French."""

from __future__ import annotations

from typing import Final

ABOUT: Final = "Bâtissez un village avec l'aide de six robots. Vite appris, une demi-heure environ."

# The lessons of the primer: their titles and texts by key; `presentation` says what the names in them mean.
LESSONS: Final = {
    "village": (
        "Votre village",
        (
            "Vous avez neuf emplacements et six robots, les Dunaïas. Chaque Dunaïa porte un numéro et se tient entre"
            " deux emplacements. Chaque tour a les mêmes quatre phases."
        ),
    ),
    "die": (
        "Phase 1 : prendre un dé",
        (
            "Le chiffre que vous prenez désigne le Dunaïa qui travaille pendant ce tour. Les dés noirs sont à tout le"
            " monde. Le dé à votre couleur est à vous seul, et attend qu'il n'y ait plus de dé noir."
        ),
    ),
    "wake": (
        "Phase 2 : réveiller un Dunaïa",
        (
            "Le Dunaïa qui porte le chiffre du dé agit sur les deux emplacements voisins. Un emplacement libre donne ce"
            " qui y est imprimé : une fleur, qui sert de monnaie, ou une puce mémoire. Un bâtiment en construction"
            " avance d'une case."
        ),
    ),
    "recycle": (
        "Phase 3 : recycler le dé",
        (
            "Le même dé rapporte encore une chose de votre choix : une fleur, un déplacement de Dunaïa, une puce ou un"
            " nouveau bâtiment, payé en fleurs. Les bâtiments finis de niveau 1 offrent davantage, les vôtres comme"
            " ceux des autres."
        ),
    ),
    "prophecies": (
        "Phase 4 : les prophéties",
        "Si vous êtes le premier à remplir la condition d'une prophétie, vous la prenez, avec ses points.",
    ),
    "elders": (
        "Les Anciens, entre les phases",
        (
            "Trois puces enfichées appellent un Ancien : les deux chiffres sous lui et une troisième de votre choix. Il"
            " aide aussitôt, et vous recevez son fragment d'artefact."
        ),
    ),
    "artefacts": (
        "Les artefacts",
        (
            "Les fragments des trois Anciens forment ensemble un artefact. Un artefact vaut {one} point, deux en valent"
            " {two}, trois {three} et quatre {four} en tout : chacun rapporte plus que le précédent."
        ),
    ),
    "buildings": (
        "Trois niveaux",
        (
            "Les bâtiments de niveau 1 servent quand on recycle un dé, ceux de niveau 2 quand un Dunaïa se réveille à"
            " côté. Ceux de niveau 3 rapportent des points, surtout par leurs flèches."
        ),
    ),
    "colours": (
        "Couleurs et marqueurs",
        (
            "Les bâtiments sont verts, jaunes, mauves ou rouges. Une flèche compte si elle vise un bâtiment fini de sa"
            " propre couleur. Un marqueur de couleur, que donne l'un des Anciens, ajoute une couleur à un bâtiment."
        ),
    ),
    "end": (
        "La fin",
        (
            "La troisième prophétie prise, ou un village complet, annonce le dernier tour de table. On compte alors"
            " bâtiments, flèches, prophéties et artefacts, et {flowers} fleurs font un point."
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
        "Chacun de vos six robots porte un chiffre, de 1 à 6. Avec un dé qui montre 3, vous réveillez votre robot 3, et"
        " il agit sur les deux emplacements voisins. Les fleurs achètent des bâtiments, les puces appellent les"
        " Anciens. Pour commencer, n'importe quel dé convient."
    ),
    "AWAKEN": (
        "Votre robot agit sur les deux emplacements ; vous ne choisissez que l'ordre. Tant qu'ils sont libres, "
        "il n'a guère d'importance."
    ),
    "RECYCLE": (
        "Recycler le dé rapporte encore une chose. Pouvez-vous payer un bâtiment disponible ? Choisissez-le, puis"
        " un emplacement libre à côté d'un de vos robots : il avancera à chaque réveil de ce robot. Sinon, prenez une"
        " fleur pour le tour suivant."
    ),
    "BEFORE_PROPHECY": "Rien n'est obligatoire ici. Continuez, sauf si vous voulez appeler un Ancien avec vos puces.",
    "END_TURN": "Rien n'est obligatoire ici. Continuez pour finir votre tour.",
    "MOVE": (
        "Placez le robot près d'emplacements qui vous serviront bientôt, par exemple un bâtiment en construction."
    ),
    "PLUG": "Chaque chiffre n'a qu'une place. Les chiffres sous les Anciens disent quelles puces les appellent.",
    "DISCARD": "Payez avec une puce qu'aucun Ancien ne demande.",
    "ADVANCE": "Choisissez le bâtiment le plus près d'être fini.",
    "SEARCH": "Vous voyez toutes les tuiles de la pile. Prenez-en une dont les couleurs vont avec votre village.",
    "PLACE": "Un emplacement libre à côté d'un robot convient bien : le bâtiment avance quand le robot se réveille.",
    "COLOUR": "Posez-le là où une flèche demande cette couleur.",
}

AFTER_TURN: Final = (
    "Les points viennent des bâtiments finis et de leurs flèches, des artefacts et des prophéties : chaque prophétie"
    " revient au premier joueur qui remplit sa condition en phase 4. Trois puces enfichées appellent un Ancien, qui"
    " aide aussitôt et donne un fragment d'artefact."
)
