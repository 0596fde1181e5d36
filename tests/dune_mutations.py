"""Dune's state dictionaries from games with all options, changed in a few places, and what holds of accepted ones."""

from __future__ import annotations

import functools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dunaia_env import GameState, Stream
from dunaia_env.dune import GAME
from dunaia_env.dune.checks.moments import decisions_of
from dunaia_env.dune.options import PRESETS
from dunaia_env.dune.state import CELLS, CHEAP_HERO, KINDS, POWER_NAMES, TOKENS

Content = dict[str, Any]
# What is changed, where, and to what: the numbers are taken modulo whatever there is to choose from.
Change = tuple[int, int, int]

MOST_DECISIONS = 200
# So many decisions are checked one by one, and of the later ones every so many.
_EACH, _EVERY = 40, 5
_STEPS = (-1, 1, -2, 2, -5, 5)
_BOUNDARIES = (-1, 0, 1, 2, 3, 5, 10, 19, 20, 21, 31, 41, 85, 86, 127, 1000, 30000, 32000, 32767)


def options_of(number: int) -> dict[str, Any]:
    """Options by number: presets at every table, and any combination of the single options."""
    chosen = random.Random(number)
    presets = tuple(PRESETS)
    if number % 5 == 0:
        named = dict(PRESETS[presets[number // 5 % len(presets)]])
        return {"num_players": chosen.randint(2, 6), **named}
    options: dict[str, Any] = {"num_players": chosen.randint(2, 6)}
    for name, likely in (("powers", 0.9), ("alliances", 0.9), ("karama_powers", 0.7), ("tleilax", 0.7)):
        options[name] = chosen.random() < likely
    for name in ("open_shields", "atreides_sees_bonus"):
        options[name] = chosen.random() < 0.5
    return options | {
        "deck": chosen.choice((43, 33)),
        "max_alliance": chosen.choice((None, None, 2, 3)),
        "alliance_strongholds": chosen.choice((3, 4, 5)),
        "undecided": chosen.choice(("nobody", "strongholds")),
        "max_turns": chosen.choice((15, 15, 15, 5, 1)),
    }


def played(number: int) -> Iterator[GameState]:
    """The states of a game with the options of a number, one after another; each is changed when the next is asked for.

    Passing is chosen rarely in every second game, so that cards, powers and alliances are used.
    """
    chosen, chance = random.Random(number), Stream(number)
    state = GameState.new(chance, game=GAME, **options_of(number))
    while not state.is_over:
        yield state
        legal = state.legal_actions()
        if number % 2 and legal[0] == 0 and chosen.random() < 0.7:
            legal = legal[1:]
        state.apply(chosen.choice(legal), chance)
    yield state


def moment_of(content: Content) -> tuple[Any, ...]:
    """The kind of moment that a dictionary is about: decision, phase, question, and what waits on the stack."""
    pending = content["pending"]
    stack = tuple((one["point"], one.get("decision")) for one in pending.get("stack", ()))
    return content["decision"], content["phase"], pending.get("power"), stack, pending.get("lifting", False)


@functools.cache
def dictionaries(games: int = 60, each: int = 3) -> tuple[Content, ...]:
    """Some dictionaries of every kind of moment that occurs in some games."""
    found: dict[tuple[Any, ...], list[Content]] = {}
    for number in range(games):
        chosen = random.Random(number)
        for state in played(number):
            kept = found.setdefault((state.decision,), [])
            if len(kept) >= 4 * each and chosen.random() > 0.02:
                continue
            content = state.to_dict()
            kept.append(content)
            of_moment = found.setdefault(moment_of(content), [])
            if len(of_moment) < each:
                of_moment.append(content)
            else:
                of_moment[chosen.randrange(each)] = content
    return tuple(one for key, kept in sorted(found.items(), key=repr) if len(key) > 1 for one in kept)


# Changes. Each one changes a dictionary, at a place and to a value that numbers choose.


def _places(inside: Any, kind: type) -> list[tuple[Any, Any]]:
    """Each value of a type within a dictionary or list, as what holds it and its key there."""
    places, todo = [], [inside]
    while todo:
        one = todo.pop()
        for key, value in one.items() if isinstance(one, dict) else enumerate(one):
            if isinstance(value, dict | list):
                todo.append(value)
            elif type(value) is kind:
                places.append((one, key))
    return places


def _pick(values: Sequence[Any], number: int) -> Any:
    return values[number % len(values)]


def _shift(content: Content, where: int, what: int) -> None:
    inside, key = _pick(_places(content, int), where)
    inside[key] += _pick(_STEPS, what)


def _shift_pending(content: Content, where: int, what: int) -> None:
    if places := _places(content["pending"], int):
        inside, key = _pick(places, where)
        inside[key] += _pick(_STEPS, what)


def _set_pending(content: Content, where: int, what: int) -> None:
    if places := _places(content["pending"], int):
        inside, key = _pick(places, where)
        inside[key] = what % 24 if what % 3 else _pick(_BOUNDARIES, what)


def _set_boundary(content: Content, where: int, what: int) -> None:
    inside, key = _pick(_places(content, int), where)
    inside[key] = _pick(_BOUNDARIES, what)


def _swap(content: Content, where: int, what: int) -> None:
    places = _places(content, int)
    (inside, key), (other, place) = _pick(places, where), _pick(places, what)
    inside[key], other[place] = other[place], inside[key]


def _flip(content: Content, where: int, what: int) -> None:
    inside, key = _pick(_places(content if what % 2 else content["leaders"], bool), where)
    inside[key] = not inside[key]


def _drop_pending(content: Content, where: int, what: int) -> None:
    if content["pending"]:
        del content["pending"][_pick(sorted(content["pending"]), where)]


def _foreign_pending(content: Content, where: int, what: int) -> None:
    other = _pick(dictionaries(), where)["pending"]
    if other:
        key = _pick(sorted(other), what)
        content["pending"][key] = _copy(other[key])


def _foreign_moment(content: Content, where: int, what: int) -> None:
    """The moment of another state of the same phase."""
    same = [one for one in dictionaries() if one["phase"] == content["phase"] and _fits(one, content)]
    other = _pick(same, where)
    for key in ("decision", "seat", "actor", "pending"):
        content[key] = _copy(other[key])


def _fits(one: Content, other: Content) -> bool:
    return len(one["players"]) == len(other["players"])


def _decision(content: Content, where: int, what: int) -> None:
    content["decision"] = _pick(decisions_of(content["phase"]), where)


def _seat(content: Content, where: int, what: int) -> None:
    players = len(content["players"])
    content["seat"] = where % players
    if what % 3 == 0 and content["actor"] != -1:
        content["actor"] = where % players
    if what % 4 == 1:
        content["actor"] = what // 4 % players if content["actor"] != -1 else -1


def _of_the_stack(content: Content, where: int, what: int) -> None:
    entries = content["pending"].get("stack")
    if not entries:
        content["pending"]["power"] = _pick(POWER_NAMES, where)
        return
    entry = _pick(entries, where)
    if "seat" in entry:
        entry["seat"] = what % len(content["players"])
    if "power" in entry and what % 2:
        entry["power"] = _pick(POWER_NAMES, what // 2)


def _tokens(content: Content, where: int, what: int) -> None:
    """Some tokens of a seat go from one place to another."""
    player = _pick(content["players"], where)
    forces = dict(map(tuple, player["forces"]))
    source = _pick([*forces, "reserve", "tanks"], where // 7)
    here = forces if source in forces else player
    near = content["pending"].get("field", content["pending"].get("cell", 0))
    target = _pick(["reserve", "tanks", *forces, near, what // 5 % CELLS], what)
    most = here[source]
    number = most if what % 2 else min(most, 1 + what // 11 % 3)
    here[source] -= number
    if target in ("reserve", "tanks"):
        player[target] += number
    else:
        forces[target] = forces.get(target, 0) + number
    player["forces"] = [[cell, forces[cell]] for cell in sorted(forces) if forces[cell]]


def _card(content: Content, where: int, what: int) -> None:
    """A card goes from one place to another."""
    places: list[Any] = [*(player["hand"] for player in content["players"]), content["deck"], content["discards"]]
    source, target = _pick(places, where), _pick(places, what)
    hands = len(content["players"])
    if places.index(source) < hands:
        if not source:
            return
        kind = source.pop(where // 9 % len(source))
    else:
        kinds = [kind for kind in range(KINDS) if source[kind]]
        if not kinds:
            return
        kind = _pick(kinds, where // 9)
        source[kind] -= 1
    if any(target is hand for hand in places[:hands]):
        target.append(kind)
        target.sort()
    else:
        target[kind] += 1


def _spice(content: Content, where: int, what: int) -> None:
    player = _pick(content["players"], where)
    player[_pick(("spice", "spice", "pledge"), what)] = _pick((0, 0, 1, 2, 5, 20, 32000, 32767), what // 3)


CHANGES: tuple[Callable[[Content, int, int], None], ...] = (
    *(_shift, _shift_pending, _set_pending, _set_boundary, _swap, _flip, _drop_pending, _foreign_pending),
    *(_foreign_moment, _decision, _seat, _of_the_stack, _tokens, _card, _spice),
)


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


def mutated(number: int, changes: Sequence[Change]) -> Content:
    """One of the dictionaries after some changes, with the scores that it is worth."""
    content: Content = _copy(_pick(dictionaries(), number))
    for kind, where, what in changes:
        _pick(CHANGES, kind)(content, where, what)
    try:
        GameState.from_dict(content, game=GAME)
    except ValueError as error:
        told = str(error).partition("the state is worth ")[2]
        if told:
            content["scores"] = json.loads(told)
    return content


# What holds


def cards_of(content: Content) -> Counter[int]:
    """All treachery cards, wherever they are."""
    counted = Counter[int]()
    for key in ("deck", "discards", "hidden_discards", "removed"):
        counted.update(dict(enumerate(content[key])))
    counted.update(content[key] for key in ("top", "sale") if content[key] != -1)
    for player in content["players"]:
        counted.update(player["hand"])
        counted.update([player["laid"]] if player["laid"] != -1 else [])
    if not content["pending"].get("plans_shown"):
        for plan in content["pending"].get("plans", ()):
            counted.update(plan[part] for part in ("weapon", "defence") if plan.get(part, -1) != -1)
            counted.update([CHEAP_HERO] if plan.get("hero") else [])
    return +counted


def kept(content: Content) -> Any:
    """What play never changes: cards, spice cards, tokens by seat, leaders in the game, options and factions."""
    spice_cards = [content["spice_deck"][card] + content["spice_discards"][card] for card in range(16)]
    if content["foreseen_spice"] != -1:
        spice_cards[content["foreseen_spice"]] += 1
    tokens = [
        player["reserve"] + player["tanks"] + sum(number for _, number in player["forces"])
        for player in content["players"]
    ]
    assert tokens == [TOKENS] * len(tokens)
    return (
        cards_of(content),
        spice_cards,
        [owner != -1 for owner in content["leaders"]["owner"]],
        content["options"],
        [(player["faction"], player["discs"]) for player in content["players"]],
    )


def check_play(state: GameState, seed: int, most: int = MOST_DECISIONS) -> None:
    """Play on at random: every state is one, has a choice unless it is over, and nothing is lost or comes from nowhere.

    Raises `AssertionError` or whatever goes wrong.
    """
    chosen, chance = random.Random(seed), Stream(seed)
    content = state.to_dict()
    before, fixed = kept(content), 4 if content["phase"] == "setup" else 5
    for number in range(most):
        legal = state.legal_actions()
        assert state.is_over == (not legal), f"{state.decision}: {len(legal)} legal actions"
        assert legal == sorted(set(legal))
        if number < _EACH or number % _EVERY == 0 or state.is_over:
            content = state.to_dict()
            assert GameState.from_dict(content, game=GAME) == state
            assert kept(content)[:fixed] == before[:fixed]
        if state.is_over:
            return
        if number % 16 == 0:
            assert all(state.observation(seat).min() >= -1 for seat in range(state.num_players))
            GameState.from_dict(state.resampled(state.seat, number).to_dict(), game=GAME)
        state.apply(chosen.choice(legal), chance)
