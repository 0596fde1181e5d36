"""What the server says in other languages, by the English sentence (`errors.Sentence`).

These are its refusals of requests, and why a table cannot go on. Requests that no page of this server sends are refused
in English only.
"""

from __future__ import annotations

from collections.abc import Mapping

FRENCH: Mapping[str, str] = {
    # Pages and links
    "there is no such page": "cette page n’existe pas",
    "there is no table with this link": "aucune table n’a ce lien",
    "there is no table with these links": "aucune table n’a ces liens",
    "there is no analysis with this link": "aucune analyse n’a ce lien",
    "positions: {number}; the game has 0 to {count}": "positions : {number} ; la partie a les positions 0 à {count}",
    "positions: {number}; the game has 0 to {last} so far": (
        "positions : {number} ; la partie a pour l’instant les positions 0 à {last}"
    ),
    # The server
    "the server is too busy; try again": "le serveur est trop occupé ; réessayez",
    "the server has failed at this request": "le serveur a échoué à traiter cette requête",
    "the message was not sent within {seconds:g} s": "le message n’est pas arrivé en {seconds:g} s",
    "the message is too large; at most {most} bytes are allowed": (
        "le message est trop grand ; {most} octets au plus sont admis"
    ),
    "too many requests; try again in {seconds} s": "trop de requêtes ; réessayez dans {seconds} s",
    "too many open connections; at most {most} are allowed": (
        "trop de connexions ouvertes ; {most} au plus sont admises"
    ),
    "origin: a page of another address has sent this; only this server's may": (
        "origine : la requête vient d’une page d’une autre adresse ; seules celles de ce serveur sont admises"
    ),
    "the table could not be stored on the server's disk": "la table n’a pas pu être enregistrée sur le serveur",
    "the analysis could not be stored on the server's disk": "l’analyse n’a pas pu être enregistrée sur le serveur",
    "this could not be stored on the server's disk, so it was not done; try again later": (
        "l’enregistrement sur le serveur a échoué, donc rien n’a été fait ; réessayez plus tard"
    ),
    "there are {count} tables at which people play, the most that this server keeps": (
        "on joue déjà à {count} tables, le plus que ce serveur garde"
    ),
    # Opening and continuing
    "game: expected one of {known}": "jeu : choisissez parmi {known}",
    "name: expected 1 to {most} printable characters, got {given}": (
        "nom : 1 à {most} caractères imprimables sont admis, pas {given}"
    ),
    "seats: expected {least} to {most}, got {count}": "places : il en faut {least} à {most}, pas {count}",
    "seats: {count}; the replay has {players}": "places : {count} ; la partie enregistrée en a {players}",
    "seats[{number}]: agent: unknown; {known} can play here": (
        "place {number} : programme inconnu ; ici peuvent jouer {known}"
    ),
    "options: {name} follows from the seats": "options : {name} découle des places",
    "options: {reason}": "options : {reason}",
    "seed: whoever knows it knows the future, so only one person may play": (
        "graine : qui la connaît connaît l’avenir, donc une seule personne peut jouer"
    ),
    "seed: expected an integer in 0..{most}": "graine : un nombre entier de 0 à {most} est attendu",
    "clock: seconds: expected {least:g} to {most:g}, got {given:g}": (
        "temps : {least:g} à {most:g} secondes sont admises, pas {given:g}"
    ),
    "clock: agent: unknown; {known} can play here": "temps : programme inconnu ; ici peuvent jouer {known}",
    "replay: its game is over; only an unfinished one can be played on": (
        "partie enregistrée : elle est terminée ; seule une partie inachevée peut être reprise"
    ),
    "replay: its game is not offered here": "partie enregistrée : ce jeu n’est pas proposé ici",
    "replay: {count} decisions; at most {most} are allowed": (
        "partie enregistrée : {count} décisions ; {most} au plus sont admises"
    ),
    "replay: several people play; before the end its seed would tell the future": (
        "partie enregistrée : plusieurs personnes jouent ; avant la fin, sa graine révélerait l’avenir"
    ),
    "decisions: expected 0..{count}, got {made}": "décisions : 0 à {count} sont admises, pas {made}",
    "table: the game is not over": "table : la partie n’est pas terminée",
    "rematch: the game is not over": "revanche : la partie n’est pas terminée",
    "rematch: whoever watches has no seat": "revanche : qui regarde n’a pas de place",
    "rematch: at most {most} in a row; open a new table": "revanche : {most} de suite au plus ; ouvrez une autre table",
    # Deciding
    "the game is over": "la partie est terminée",
    "another seat has to decide": "c’est à une autre place de décider",
    "whoever watches cannot decide": "qui regarde ne peut pas décider",
    "whoever watches has no seat": "qui regarde n’a pas de place",
    "version: {version}; the game is at {present} now": "version : {version} ; la partie en est à {present}",
    "undone: {number}; the game has gone back {times} times": (
        "annulations : {number} ; la partie est revenue en arrière {times} fois"
    ),
    "an undo is asked for; it has to be agreed to or declined first": (
        "une annulation est demandée ; il faut d’abord l’accepter ou la refuser"
    ),
    "asked: this is not the present request": "demande : ce n’est pas la demande actuelle",
    "undo: there is no decision to undo, and nobody has asked for it": (
        "annulation : il n’y a rien à annuler, et personne ne l’a demandé"
    ),
    "undo: the game is over, and everybody has seen what was hidden": (
        "annulation : la partie est terminée, et tout le monde a vu ce qui était caché"
    ),
    "undo: an agent plays for this seat; take the seat back first": (
        "annulation : un programme joue pour cette place ; reprenez-la d’abord"
    ),
    "undo: others have not agreed yet": "annulation : d’autres n’ont pas encore accepté",
    "too much was undone and changed at this table already": "on a déjà trop annulé et changé à cette table",
    # Who plays
    "key: expected that of whoever opened the table": "clé : celle de la personne qui a ouvert la table est attendue",
    "agent: unknown; {known} can play here": "programme inconnu ; ici peuvent jouer {known}",
    "agent: {agent} plays for this seat already": "{agent} joue déjà pour cette place",
    "seat: {agent} plays for this seat already": "{agent} joue déjà pour cette place",
    "seat: expected one of 0..{last}, got {seat}": "place : 0 à {last} sont possibles, pas {seat}",
    "seat: whoever sits there may not be replaced now by the person who asks": (
        "place : vous ne pouvez pas remplacer maintenant qui l’occupe"
    ),
    "return: no agent plays for this seat": "retour : aucun programme ne joue pour cette place",
    "again: no agent has failed": "aucun programme n’est en panne",
    "pace: people play at this table": "rythme : des personnes jouent à cette table",
    "seconds: {seconds:g}; 0 to {most:g} are allowed": "secondes : {seconds:g} ; 0 à {most:g} sont admises",
    # Tables that cannot go on
    "the server has failed at this table": "le serveur a échoué à cette table",
    "the agents' decisions could not be stored on the server's disk": (
        "les décisions des programmes n’ont pas pu être enregistrées sur le serveur"
    ),
    "this table has been removed": "cette table a été supprimée",
    "{agent} has taken too long": "{agent} a mis trop de temps",
    "{agent} cannot play on this server any more": "{agent} ne peut plus jouer sur ce serveur",
    "{agent} chose an action that the rules forbid": "{agent} a choisi une action que les règles interdisent",
    "{agent} has failed": "{agent} est en panne",
    # Coach, analyses, puzzles
    "coach: there is no advice at this table": "conseils : il n’y en a pas à cette table",
    "coach: advice is given to the seat that decides": "conseils : ils sont donnés à la place qui décide",
    "coach: nobody can give advice on this game": "conseils : personne ne peut en donner pour ce jeu",
    "coach: the advice has taken too long": "conseils : la réponse a pris trop de temps",
    "too many analyses are waiting; try again in some minutes": (
        "trop d’analyses attendent ; réessayez dans quelques minutes"
    ),
    "puzzles: the game is not analysed yet": "problèmes : la partie n’est pas encore analysée",
    "puzzles: {number}; this decision was no mistake": "problèmes : {number} ; cette décision n’était pas une erreur",
    "puzzles: nobody can judge this choice": "problèmes : personne ne peut juger ce choix",
    "puzzles: judging this choice has taken too long": "problèmes : juger ce choix a pris trop de temps",
}
TRANSLATIONS: Mapping[str, Mapping[str, str]] = {"fr": FRENCH}
