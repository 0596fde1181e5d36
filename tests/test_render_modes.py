"""Render modes: coloured text, pixels and windows, in every environment and with the checkers of its library."""

from __future__ import annotations

import copy
import pickle
import re
import sys
from dataclasses import replace
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RenderCollection
from pettingzoo.test import render_test

from dunaia_env import dunaia, dunaia_v0
from dunaia_env.envs.aec import env as aec_env, raw_env
from dunaia_env.envs.single import DunaiaEnv
from dunaia_env.envs.vector import DunaiaVectorEnv
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import load as load_agent
from dunaia_env.harness.presentation import Drawing
from dunaia_env.harness.state import GameState
from dunaia_env.render import modes
from dunaia_env.replay import positions, record_game, transcript
from tests.drawn_bids import GAME as SHOWN, picture as picture_of_bids
from tests.silent_bids import GAME as BIDS

pytestmark = pytest.mark.once

ESCAPE = re.compile("\x1b\\[[0-9;]*m")


def test_the_default_game_has_every_mode() -> None:
    for kind in (dunaia_v0.raw_env, DunaiaEnv):
        assert kind.metadata["render_modes"] == ["human", "ansi", "rgb_array"]
        assert kind().metadata["render_modes"] == kind.metadata["render_modes"]
    assert DunaiaVectorEnv.metadata["render_modes"] == ["ansi", "rgb_array"]


@pytest.mark.parametrize("players", [2, 4])
def test_pettingzoos_render_test_in_every_mode(players: int, capsys: pytest.CaptureFixture[str]) -> None:
    shapes = set()

    def is_picture(frame: Any) -> bool:
        shapes.add(frame.shape)
        return bool(frame.std() > 0)

    def make(render_mode: str | None = None) -> Any:
        return dunaia_v0.env(num_players=players, max_rounds=6, render_mode=render_mode, render_width=400)

    render_test(make, {"ansi": lambda text: ESCAPE.sub("", text).startswith("Round "), "rgb_array": is_picture})
    assert "Round 1, player" in capsys.readouterr().out
    ((_, width, _),) = shapes  # a film needs frames of one size
    assert width == 400


@pytest.mark.filterwarnings("ignore:.*not able to test alternative render modes:UserWarning")
def test_gymnasiums_check_env_in_every_mode(capsys: pytest.CaptureFixture[str]) -> None:
    env = gymnasium.make("dunaia/Dunaia-v0", opponents="greedy", max_rounds=4, render_width=300)
    check_env(env.unwrapped)
    for mode in DunaiaEnv.metadata["render_modes"]:
        check_env(gymnasium.make("dunaia/Dunaia-v0", max_rounds=4, render_mode=mode, render_width=300).unwrapped)
    assert "Round 1, player" in capsys.readouterr().out


def test_frames_of_a_whole_game_are_collected_as_for_a_film() -> None:
    env = gymnasium.make("dunaia/Dunaia-v0", max_rounds=3, render_mode="rgb_array", render_width=300, elites=True)
    films = RenderCollection(env)
    _, info = films.reset(seed=4)
    done, steps = False, 0
    while not done:
        _, _, done, _, info = films.step(int(info["action_mask"].argmax()))
        steps += 1
    frames: Any = films.render()
    assert films.render_mode == "rgb_array_list"
    assert len(frames) == steps + 1
    assert len({frame.shape for frame in frames}) == 1
    assert any((frame != frames[0]).any() for frame in frames)
    films.close()


def test_make_gives_lists_of_frames() -> None:
    env = gymnasium.make("dunaia/Dunaia-v0", render_mode="rgb_array_list", render_width=200)
    env.reset(seed=1)
    (frame,) = env.render()  # type: ignore[misc]
    assert frame.shape[1:] == (200, 3)


def test_pixels_are_those_of_the_seat() -> None:
    env = DunaiaEnv(game=SHOWN, seat=1, num_players=3, render_mode="rgb_array", render_width=64)
    env.reset(seed=1)
    frame: Any = env.render()
    assert (frame.shape, frame.dtype) == ((32, 64, 3), np.uint8)
    assert frame[5, 5].tolist() == [80, 0, 0]
    everything = raw_env(game=SHOWN, render_mode="rgb_array", render_width=120)
    everything.reset(seed=1)
    frame = everything.render()
    assert frame.shape == (60, 120, 3)
    assert frame[5, 5].tolist() == [255, 0, 0]


def test_a_picture_does_not_show_what_the_seat_does_not_know() -> None:
    seen: list[Any] = []

    def picture(content: Any, components: Any, **who: Any) -> str:
        seen.append((content, who))
        return picture_of_bids(content, components, **who)

    assert SHOWN.presentation is not None
    watched = replace(BIDS, presentation=SHOWN.presentation._replace(picture=picture))
    env = DunaiaEnv(game=watched, opponents=["random", "greedy"], seat=1, render_mode="rgb_array", render_width=64)
    env.reset(seed=1)
    env.render()
    ((content, who),) = seen
    assert content == env.get_state().view(1).to_dict() != env.get_state().to_dict()
    assert who == {"seat": 1, "names": ["greedy", "learner", "random"], "language": "en"}


def test_text_has_the_colours_of_the_game() -> None:
    state = GameState.new(1, game=SHOWN)
    text = modes.ansi(state)
    assert ESCAPE.sub("", text) == SHOWN.describe(state.to_dict(), state.components)
    assert "\x1b[31mprize " in text
    assert modes.ansi(GameState.new(1, game=BIDS)) == ESCAPE.sub("", text)


WIDE = Drawing(lambda content, components: f"prize:\n{content['round']:>81}", 81, {"prize": "green"})


def drawn_by(drawing: Drawing) -> Game:
    assert SHOWN.presentation is not None
    return replace(SHOWN, presentation=SHOWN.presentation._replace(drawing=drawing))


def test_a_drawing_stands_above_the_text_in_its_own_colours(capsys: pytest.CaptureFixture[str]) -> None:
    state = GameState.new(1, game=drawn_by(WIDE))
    drawn, described = f"prize:\n{0:>81}", SHOWN.describe(state.to_dict(), state.components)
    text = modes.ansi(state)
    assert ESCAPE.sub("", text) == f"{drawn}\n\n{described}"
    assert text.startswith("\x1b[32mprize\x1b[0m:\n")
    assert "\x1b[31mprize " in text.partition("\n\n")[2]
    # Where the drawing has no room, and where there is nothing to draw, the text stands alone.
    modes.print_text(state)
    assert capsys.readouterr().out == f"{described}\n"
    modes.print_text(GameState.new(1, game=drawn_by(WIDE._replace(width=80))))
    assert capsys.readouterr().out == f"{drawn}\n\n{described}\n"
    nothing = GameState.new(1, game=drawn_by(WIDE._replace(draw=lambda content, components: "")))
    assert ESCAPE.sub("", modes.ansi(nothing)) == described


def test_a_transcript_shows_the_drawing_at_the_beginning_and_the_end() -> None:
    game = drawn_by(WIDE)
    played = record_game(3, [load_agent("random", game=game)], game=game)
    parts = "\n".join(transcript(played)).split("\n\n")
    described = [game.describe(state.to_dict(), state.components) for _, state, _ in positions(played)]
    *_, (_, last, _) = positions(played)
    assert parts[1:3] == [f"prize:\n{0:>81}", described[0]]
    assert parts[-3:-1] == [f"prize:\n{last.to_dict()['round']:>81}", described[-1]]
    assert sum(part.startswith("prize:") for part in parts) == 2


def test_human_mode_prints_plain_text_where_nothing_shows_colours(capsys: pytest.CaptureFixture[str]) -> None:
    env = raw_env(game=SHOWN, render_mode="human")
    env.reset(seed=1)
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    out = capsys.readouterr().out
    assert out.count("prize") == 2
    assert "\x1b" not in out


def test_a_game_without_pictures_has_texts_only() -> None:
    for env in (raw_env(game=BIDS), DunaiaEnv(game=BIDS)):
        assert env.metadata["render_modes"] == ["human", "ansi"]
    assert DunaiaVectorEnv(game=BIDS).metadata["render_modes"] == ["ansi"]
    with pytest.raises(ValueError, match="render_mode: expected one of human, ansi or None, got 'rgb_array'"):
        raw_env(game=BIDS, render_mode="rgb_array")
    with pytest.raises(ValueError, match="silent_bids: this game has no pictures"):
        GameState.new(1, game=BIDS).picture()
    for kind in (raw_env, DunaiaEnv):
        check: Any = kind(game=BIDS, render_mode="ansi")
        check.reset(seed=1)
        assert "prize" in check.render()


@pytest.mark.parametrize("width", [63, 4097, 0, -1, 1.5, "1200", None, True])
def test_widths_out_of_range_are_refused(width: Any) -> None:
    for make in (raw_env, dunaia_v0.env, dunaia_v0.parallel_env, DunaiaEnv, DunaiaVectorEnv):
        with pytest.raises(ValueError, match=r"render_width: expected an integer in 64\.\.4096, got .*"):
            make(render_width=width)


@pytest.mark.parametrize("opponents", ["random", None])
def test_many_games_are_shown_side_by_side(opponents: Any) -> None:
    env = DunaiaVectorEnv(3, game=SHOWN, opponents=opponents, render_mode="rgb_array", render_width=64)
    _, infos = env.reset(seed=5)
    frames: Any = env.render()
    assert isinstance(frames, tuple)
    assert [frame.shape for frame in frames] == [(32, 64, 3)] * 3
    shown = [255] * 3 if opponents is None else (40 * (infos["seat"] + 1)).tolist()
    assert [int(frame[2, 2, 0]) for frame in frames] == shown
    texts: Any = DunaiaVectorEnv(2, game=SHOWN, render_mode="ansi")
    texts.reset(seed=1)
    assert len(texts.render()) == 2
    assert "prize" in texts.render()[0]
    silent = DunaiaVectorEnv(2)
    silent.reset(seed=1)
    assert silent.render() is None
    with pytest.raises(ValueError, match="render_mode: expected one of ansi, rgb_array or None, got 'human'"):
        DunaiaVectorEnv(2, render_mode="human")


def test_make_vec_knows_the_modes() -> None:
    env = gymnasium.make_vec("dunaia/Dunaia-v0", num_envs=2, render_mode="rgb_array", render_width=200)
    env.reset(seed=1)
    frames = env.render()
    assert frames is not None
    assert len(frames) == 2


def test_stable_baselines_makes_one_picture_of_many() -> None:
    sb3 = pytest.importorskip("dunaia_env.envs.sb3")
    env = sb3.DunaiaVecEnv(4, game=SHOWN, render_mode="rgb_array", render_width=64, seed=1)
    env.reset()
    assert env.render().shape == (64, 128, 3)
    assert [frame.shape for frame in env.env_method("render")] == [(32, 64, 3)] * 4
    assert sb3.DunaiaVecEnv(2, game=SHOWN).get_images() == [None, None]


class FakeTk(ModuleType):
    """What `tkinter` is for a window: it keeps what is shown, and can be closed by its person or lose its display."""

    TclError = RuntimeError

    def __init__(self) -> None:
        super().__init__("tkinter")
        self.shown: list[bytes] = []
        self.windows: list[Any] = []
        self.has_display = True

    def Tk(self) -> Any:  # noqa: N802
        if not self.has_display:
            raise self.TclError("no display name and no $DISPLAY environment variable")
        tk = self

        class Root:
            def title(self, text: str) -> None:
                self.text = text

            def protocol(self, name: str, close: Any) -> None:
                self.close_button = close

            def update(self) -> None:
                if not tk.has_display:
                    raise tk.TclError("lost")

            def destroy(self) -> None:
                self.text = "closed"

        self.windows.append(Root())
        return self.windows[-1]

    def Label(self, root: Any, borderwidth: int) -> Any:  # noqa: N802
        tk = self

        class Label:
            def pack(self) -> None:
                assert root in tk.windows

            def configure(self, image: bytes) -> None:
                if not tk.has_display:
                    raise tk.TclError("lost")
                tk.shown.append(image)

        return Label()

    def PhotoImage(self, master: Any, data: bytes) -> bytes:  # noqa: N802
        return data


@pytest.fixture
def tk(monkeypatch: pytest.MonkeyPatch) -> FakeTk:
    fake = FakeTk()
    monkeypatch.setitem(sys.modules, "tkinter", fake)
    monkeypatch.delenv(modes.NO_WINDOW, raising=False)
    monkeypatch.setattr(modes, "FRAMES_PER_SECOND", 1000)
    return fake


def play(env: Any, steps: int = 3) -> None:
    env.reset(seed=1)
    for _ in range(steps):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))


def shown_env(game: Game = SHOWN) -> Any:
    return raw_env(game=game, render_mode="human", render_width=64)


def test_a_window_shows_every_position(tk: FakeTk, capsys: pytest.CaptureFixture[str]) -> None:
    env = shown_env()
    play(env)
    assert len(tk.shown) == 4
    assert all(picture.startswith(b"iVBORw0KGgo") for picture in tk.shown)  # PNG in base 64
    assert [window.text for window in tk.windows] == [SHOWN.title]
    assert capsys.readouterr().out == ""
    env.close()
    assert tk.windows[0].text == "closed"
    env.close()
    play(env, 0)
    assert len(tk.windows) == 2


def test_a_window_that_was_closed_stays_closed(tk: FakeTk, capsys: pytest.CaptureFixture[str]) -> None:
    env = shown_env()
    play(env, 1)
    tk.windows[0].close_button()
    play(env, 1)
    assert (len(tk.windows), len(tk.shown)) == (1, 2)
    assert capsys.readouterr().out.count("prize") == 2


def test_a_display_can_be_missing_or_go_away(tk: FakeTk, capsys: pytest.CaptureFixture[str]) -> None:
    env = shown_env()
    play(env, 0)
    tk.has_display = False
    play(env, 1)
    play(shown_env(), 0)
    assert len(tk.shown) == 1
    assert capsys.readouterr().out.count("prize") == 3


def test_without_the_library_that_draws_pixels_text_is_printed(
    tk: FakeTk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    play(shown_env(), 1)
    assert [window.text for window in tk.windows] == ["closed"]
    assert capsys.readouterr().out.count("prize") == 2
    env = raw_env(game=SHOWN, render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(ImportError, match=r"pictures need resvg_py .*dunaia-env\[render\]"):
        env.render()


def test_a_game_without_pictures_opens_no_window(tk: FakeTk, capsys: pytest.CaptureFixture[str]) -> None:
    play(shown_env(BIDS), 0)
    assert tk.windows == []
    assert "prize" in capsys.readouterr().out


def test_copies_have_windows_of_their_own(tk: FakeTk) -> None:
    env = shown_env()
    play(env, 0)
    again = copy.deepcopy(env)
    again.render()
    assert len(tk.windows) == 2
    stored = pickle.loads(pickle.dumps(aec_env(render_mode="ansi", render_width=99)))
    stored.reset(seed=1)
    assert stored.unwrapped._screen.width == 99
    assert "Round 1" in stored.render()


def test_notebooks_show_positions() -> None:
    state = GameState.new(1, game=SHOWN, num_players=3)
    assert state._repr_svg_() == state.picture() == picture_of_bids(state.to_dict(), None)
    assert state.view(2)._repr_svg_() == state.picture(2) == picture_of_bids(state.view(2).to_dict(), None, seat=2)
    assert "<title>a,b,c</title>" in state.view(0).picture(names=("a", "b", "c"))
    silent = GameState.new(1, game=BIDS)
    assert silent._repr_svg_() is None
    assert silent.view()._repr_svg_() is None
    with pytest.raises(ValueError, match=r"seat: expected an integer in 0\.\.2, got 3"):
        state.picture(3)
    for position in (state, state.view()):
        with pytest.raises(ValueError, match="language: expected one of en, fr, got 'xx'"):
            position.picture(language="xx")


def test_notebooks_show_the_end_of_replays() -> None:
    played = record_game(3, [load_agent("random", game=SHOWN)], game=SHOWN)
    *_, (_, state, _) = positions(played)
    assert state.is_over
    assert played._repr_svg_() == state.picture(names=["random", "random"])
    assert record_game(3, [load_agent("random", game=BIDS)], game=BIDS)._repr_svg_() is None
    others = record_game(3, [load_agent("random", game=SHOWN)], game=SHOWN, components=12)
    assert others._repr_svg_() is None
    damaged = replace(played, decisions=[{"seat": 0, "action": "bid 99"}])
    assert damaged._repr_svg_() is None


def test_the_text_of_the_default_game_is_coloured() -> None:
    state = GameState.new(3, num_players=2, elites=True)
    random = np.random.default_rng(1)
    for _ in range(120):
        if not state.is_over:
            state.apply(int(random.choice(state.legal_actions())), 3)
    text = modes.ansi(state)
    assert ESCAPE.sub("", text) == dunaia.describe(state.to_dict(), dunaia.load())
    assert len(set(ESCAPE.findall(text))) > 5
