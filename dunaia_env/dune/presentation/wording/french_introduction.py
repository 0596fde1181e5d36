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
            "ensemble. Si personne n'y parvient avant la fin du dernier tour, certaines factions ont leur propre "
            "victoire. Dans les parties à départager, comptent ensuite les forteresses, puis l'épice."
        ),
    ),
}

# What to think of where a decision is met for the first time, by decision; templates as those of `wording.french`.
TIPS: Final = {
    # What comes before the first tip
    "GOAL": (
        "Le but : tenez {needed} {needed:forteresse|forteresses} à la fin d'un tour, et vous gagnez. Ce sont les"
        " territoires marqués d'une tour ; un seul jeton en tient une si personne d'autre n'y est."
    ),
    "GOAL.decided": (
        "Le but : tenez {needed} {needed:forteresse|forteresses} à la fin d'un tour, et vous gagnez ; après le tour"
        " {max_turns}, c'est celui qui en tient le plus et, à égalité, celui qui a le plus d'épice. Ce sont les"
        " territoires marqués d'une tour ; un seul jeton en tient une si personne d'autre n'y est."
    ),
    # Decisions
    "TRAITOR": (
        "Vous achetez en secret un chef d'un autre joueur. S'il mène un jour un combat contre vous, vous pourrez crier"
        " à la trahison et gagner aussitôt. Les chefs forts servent plus souvent."
    ),
    "DIAL": (
        "Tempête. Un autre joueur et vous choisissez chacun un nombre en secret, et la tempête avance d'autant de"
        " secteurs que leur somme. Elle tue les jetons et emporte l'épice sur le sable ; forteresses et roche"
        " protègent. Tant que rien à vous ne se trouve sur le sable, tous les nombres se valent."
    ),
    "DIAL.later": (
        "Un nouveau tour. À la fin du précédent, c'était la récolte : les jetons posés sur de l'épice l'ont ramassée."
        " Avant de régler la tempête à nouveau, regardez ce qui se trouve sur le sable dans les secteurs devant elle."
    ),
    "BID": (
        "Éruption d'épice et enchères. Une carte vient de déposer de l'épice sur le plateau : qui y a des jetons à la"
        " fin du tour la récolte. À présent, les cartes de traîtrise se vendent une à une, face cachée. Armes et"
        " défenses décident des combats, et deux ou trois cartes sont utiles ; mais débarquer coûte aussi de l'épice,"
        " gardez-en."
    ),
    "REVIVE": (
        "Renaissance. Les jetons et les chefs morts sont dans les cuves. Quelques jetons viennent d'en revenir sans"
        " frais ; les suivants coûtent {revival_price} {revival_price:épice|épices} chacun, et {revival_most} au plus"
        " reviennent par tour."
    ),
    "RAISE": (
        "Tous vos chefs sont morts. À chaque tour, l'un d'eux peut maintenant revenir, pour autant d'épices que sa"
        " force."
    ),
    "SHIP": (
        "Mouvement, première étape : débarquez des jetons de votre réserve, contre de l'épice. Vous gagnez si vous"
        " tenez {needed} forteresses à la fin d'un tour : une forteresse vide, ou tenue par peu de jetons, est un bon"
        " choix."
    ),
    "SHIP_COUNT": (
        "Un seul jeton tient déjà une forteresse vide, mais d'autres peuvent y débarquer aussi : quelques jetons de"
        " plus la rendent difficile à prendre."
    ),
    "MOVE_FROM": (
        "Mouvement, seconde étape : un groupe de jetons marche. Il peut prendre une forteresse ou aller vers l'épice."
        " Là où il rencontre les jetons d'un autre, il y aura combat."
    ),
    "COUNT": "Laissez assez de jetons pour tenir ce que vous avez.",
    "MOVE_TO": (
        "Évitez le sable que la tempête peut atteindre au début du prochain tour, à moins que l'épice n'en vaille la"
        " peine."
    ),
    "BATTLE": (
        "Combat. Ceux qui se trouvent dans un même territoire doivent se battre. Vous choisissez lequel de vos combats"
        " vient d'abord."
    ),
    "OPPONENT": "Il y a ici plusieurs ennemis. Vous les combattez l'un après l'autre et choisissez le premier.",
    "LEADER": (
        "Combat. Chaque camp prépare un plan secret en quatre parties, demandées l'une après l'autre : un chef, une"
        " arme, une défense et un nombre de jetons. Un chef fort épargne des jetons, mais s'il est tué, le vainqueur"
        " gagne sa force en épices ; et si l'ennemi l'a soudoyé comme traître, vous perdez le combat aussitôt."
    ),
    "WEAPON": (
        "Une arme tue le chef ennemi, dont la force ne compte alors plus, à moins que la bonne défense ne soit jouée :"
        " le bouclier arrête les projectiles, le goûte-poison arrête le poison."
    ),
    "DEFENCE": (
        "Pensez à l'arme que l'ennemi peut avoir : le bouclier arrête les projectiles, le goûte-poison arrête le"
        " poison."
    ),
    "NUMBER": (
        "Les jetons que vous engagez sont perdus même si vous gagnez. Le plus que l'ennemi puisse atteindre, ce sont"
        " tous ses jetons et son meilleur chef ; si votre somme n'y suffit pas, devinez ce qu'il risquera."
    ),
    "TREASON": (
        "L'ennemi a justement choisi le chef que vous avez acheté. Criez à la trahison : vous gagnez sans rien perdre."
    ),
    "LOSS": "Vous avez gagné, et payez avec les jetons engagés. Choisissez où ils meurent.",
    "KEEP": "Une carte gardée peut resservir, mais tout le monde sait désormais que vous l'avez.",
    "PROPOSE": (
        "Un ver a provoqué un nexus : c'est le seul moment où se nouent des alliances. Les alliés ne se combattent pas"
        " et gagnent ensemble."
    ),
    "CARDS": (
        "Vous avez une carte qui peut se jouer à ce moment. Vous pouvez aussi bien attendre une meilleure occasion."
    ),
}
