"""What people who do not know Dune are told, in French."""

from __future__ import annotations

from typing import Final

ABOUT: Final = (
    "Des factions aux pouvoirs très différents se battent et marchandent pour une planète de sable. Un duel "
    "dure moins d'une heure, une tablée complète une soirée."
)

# The lessons of the primer: their titles and texts by key.
LESSONS: Final = {
    "storm": (
        "1. Tempête",
        (
            "Deux joueurs choisissent en secret de combien la tempête avance autour de la planète. Les jetons et "
            "l'épice à découvert sur son chemin sont perdus ; la roche et les forteresses protègent."
        ),
    ),
    "spice": (
        "2. Éruption d'épice",
        (
            "Une carte dépose de l'épice, la monnaie du jeu, dans un territoire. Parfois un ver surgit à la place, "
            "dévore ce qui s'y trouve et permet à tous de nouer des alliances."
        ),
    ),
    "bidding": (
        "3. Enchères",
        (
            "Les cartes de traîtrise se vendent une à une, face cachée : armes, défenses, cartes spéciales, et "
            "d'autres qui ne valent rien."
        ),
    ),
    "revival": (
        "4. Renaissance",
        "Une partie de vos jetons morts revient sans frais ; d'autres reviennent contre de l'épice.",
    ),
    "movement": (
        "5. Mouvement",
        (
            "Débarquez des jetons de votre réserve, contre de l'épice, puis déplacez un groupe d'un pas. Qui tient "
            "Carthag ou Arrakeen dispose d'ornithoptères et avance de trois pas."
        ),
    ),
    "battle": (
        "6. Combat",
        (
            "Là où se rencontrent deux ennemis, chacun prépare un plan secret : un chef, une arme, une défense et "
            "le nombre de jetons qu'il accepte de perdre. Le plus grand total l'emporte. Un chef acheté comme "
            "traître fait tout perdre d'un coup."
        ),
    ),
    "harvest": ("7. Récolte", "Les jetons ramassent l'épice à côté d'eux."),
    "victory": (
        "Victoire",
        (
            "Tenez trois forteresses à la fin d'un tour, ou quatre en duel. Des alliés doivent en tenir davantage "
            "ensemble. Certaines factions ont leur propre victoire si personne n'y parvient."
        ),
    ),
}
