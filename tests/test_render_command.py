"""Pictures and films of replays: what the files hold, captions, and clear errors."""

from __future__ import annotations

import io
import itertools
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from dunaia_env.harness.opponents import load as load_agent
from dunaia_env.render import film, raster
from dunaia_env.render.__main__ import main
from dunaia_env.render.scenes import Scene, captioned, scenes, seat_names, wrapped
from dunaia_env.replay import Replay, positions, record_game, to_text, write
from dunaia_env.support.svg import width_of
from tests.drawn_bids import GAME, PRESENTATION
from tests.silent_bids import GAME as BIDS

pytestmark = pytest.mark.once

MODULE = "tests.drawn_bids"


@pytest.fixture(scope="module")
def played() -> Replay:
    return record_game(3, [load_agent(name, game=GAME) for name in ("greedy", "random")], game=GAME)


@pytest.fixture
def file(played: Replay, tmp_path: Path) -> Path:
    write(played, tmp_path / "game.jsonl")
    return tmp_path / "game.jsonl"


def run(file: Path, out: Path, *more: str) -> int:
    return main([str(file), "--out", str(out), "--game", MODULE, *more])


def texts(svg: str) -> list[str]:
    found = ElementTree.fromstring(svg).findall(".//{http://www.w3.org/2000/svg}text")
    return [str(one.text) for one in found]


def frames_of(path: Path) -> list[tuple[int, np.ndarray[Any, Any]]]:
    """The duration in milliseconds and the pixels of each frame."""
    found = []
    with Image.open(path) as image:
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            image.load()
            found.append((int(image.info.get("duration", 0)), np.asarray(image.convert("RGB"))))
    return found


def test_scenes_are_the_positions_and_say_what_was_decided(played: Replay) -> None:
    found = list(scenes(played))
    states = [state.picture(names=["greedy", "random"]) for _, state, _ in positions(played)]
    assert [scene.picture for scene in found] == states
    assert [scene.number for scene in found] == list(range(len(played.decisions) + 1))
    assert (found[0].caption, found[0].details, found[0].seat) == ("Sealed bids · greedy, random", "", None)
    for scene, line in zip(found[1:], played.decisions, strict=True):
        name = ("greedy", "random")[line["seat"]]
        assert scene.caption == f"{name} bids {line['action'].split()[1]}"
        assert scene.seat == line["seat"]
    assert any("wins" in scene.details and scene.details.endswith("a new prize is turned up") for scene in found)
    scores = played.result["scores"]
    assert found[-1].details == f"greedy {scores[0]}, random {scores[1]}"
    assert found[-1].rounds == played.result["rounds"]


def test_one_scene_is_that_of_all(played: Replay) -> None:
    whole = list(scenes(played, language="fr"))
    for number in (0, 1, 5, len(played.decisions)):
        assert list(scenes(played, language="fr", only=number)) == [whole[number]]
    assert whole[1].caption.startswith("greedy mise ")


def test_a_scene_of_a_turn_tells_all_its_decisions(tmp_path: Path) -> None:
    played = record_game(3, [load_agent("random")], num_players=2, max_rounds=2)
    whole, turns = list(scenes(played)), list(scenes(played, turns=True))
    assert turns[0] == whole[0]
    assert len(turns) < len(whole) / 2
    for earlier, turn in itertools.pairwise(turns):
        decided = whole[earlier.number + 1 : turn.number + 1]
        assert {scene.seat for scene in decided} == {turn.seat}
        assert turn.seat != earlier.seat
        name = f"player {turn.seat} "
        assert turn.caption == name + "; ".join(scene.caption.removeprefix(name) for scene in decided)
        assert (turn.picture, turn.rounds) == (decided[-1].picture, decided[-1].rounds)
    assert [turn.details for turn in turns[1:-1]] == [""] * (len(turns) - 2)
    assert turns[-1].details == whole[-1].details
    write(played, tmp_path / "game.jsonl")
    out = tmp_path / "film.gif"
    assert main([str(tmp_path / "game.jsonl"), "--out", str(out), "--width", "100", "--turns"]) == 0
    assert len(frames_of(out)) == len(turns)


def test_captions_keep_the_secrets_of_a_game(played: Replay) -> None:
    own = {scene.caption for scene in scenes(played, seat=0) if scene.seat == 0}
    others = {scene.caption for scene in scenes(played, seat=0) if scene.seat == 1}
    assert all("bids" in caption for caption in own)
    assert others == {"random …"}


def test_names_are_short_and_different() -> None:
    wording = PRESENTATION.wording("en")
    names = ["greedy", "runs/a/b/model.safetensors", "greedy", "", "x" * 40, "a\nb"]
    assert seat_names(names, wording) == [
        "greedy (player 0)",
        "model",
        "greedy (player 2)",
        "player 3",
        f"{'x' * 11}...{'x' * 10}",
        "a\\nb",
    ]
    assert seat_names(["champion"] * 3, wording) == ["player 0", "player 1", "player 2"]
    assert seat_names(["champion"], wording) == ["champion"]


def test_a_caption_stands_below_the_picture() -> None:
    picture = PRESENTATION.picture({"round": 2}, None, names=["<b>"])
    svg = captioned(Scene(3, picture, "ann & <bob> bid", "something happens", 0, 1), 12)
    assert texts(svg) == ["ann & <bob> bid", "3 / 12", "something happens"]
    pixels = raster.pixels(svg, 600)
    above = raster.pixels(picture, 600)
    assert pixels.shape[0] > above.shape[0]
    assert (pixels[: above.shape[0] - 2] == above[:-2]).all()
    sized = '<svg xmlns="http://www.w3.org/2000/svg" width="60px" height="30"/>'
    assert raster.pixels(captioned(Scene(0, sized, "a", "", None, 0), 0), 600).shape == pixels.shape
    with pytest.raises(ValueError, match="picture: an SVG document without a viewBox or a size"):
        captioned(Scene(0, '<svg xmlns="http://www.w3.org/2000/svg"/>', "a", "", None, 0), 0)


def test_long_captions_are_wrapped_or_cut() -> None:
    picture = PRESENTATION.picture({"round": 2}, None)
    long = "player does " + "very " * 60 + "much"
    first, number, second = texts(captioned(Scene(3, picture, long, "", 0, 1), 12))
    assert long.startswith(f"{first} ")
    assert second.endswith("…")
    assert number == "3 / 12"
    first, _, second = texts(captioned(Scene(3, picture, long, long, 0, 1), 12))
    assert first.endswith("…")
    assert second.endswith("…")
    assert len(second) > len(first)
    assert wrapped("ab cd ef", 10, width_of("ab cd", 10)) == ["ab cd", "ef"]
    assert wrapped("ab cd ef", 10, width_of("ab cd", 10) - 0.1) == ["ab", "cd ef"]
    assert wrapped("abcdef gh", 10, width_of("abc", 10)) == ["abcdef gh"]
    assert wrapped("ab", 10, width_of("ab", 10)) == ["ab"]


@pytest.mark.parametrize("ending", ["gif", "webp"])
def test_a_film_has_a_frame_for_each_decision(
    ending: str, file: Path, played: Replay, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"film.{ending}"
    assert run(file, out, "--width", "240", "--seconds", "0.5") == 0
    count = len(played.decisions) + 1
    assert capsys.readouterr().out.startswith(f"{out}: {count} frames, ")
    found = frames_of(out)
    assert [pixels.shape for _, pixels in found] == [found[0][1].shape] * count
    assert found[0][1].shape[1] == 240
    durations = [duration for duration, _ in found]
    assert durations == [1000, *[500] * (count - 2), 2500]
    wanted = [raster.pixels(captioned(scene, count - 1), 240) for scene in scenes(played)]
    for (_, pixels), original in zip(found, wanted, strict=True):
        assert np.abs(pixels.astype(int) - original).mean() < 4
    assert all((one[1] != two[1]).any() for one, two in itertools.pairwise(found))


def test_a_gif_shares_one_palette(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "film.gif"
    assert run(file, out, "--width", "240") == 0
    # A frame with colours of its own has the highest bit of the last byte of its descriptor set.
    data = out.read_bytes()
    at, own, frames = 13 + 3 * 2 ** (1 + (data[10] & 7)), 0, 0
    while data[at] != 0x3B:
        if data[at] == 0x21:
            at += 2
        else:
            frames, own = frames + 1, own + (data[at + 9] >> 7)
            at += 11 + (3 * 2 ** (1 + (data[at + 9] & 7)) if data[at + 9] >> 7 else 0)
        while data[at]:
            at += data[at] + 1
        at += 1
    assert (frames, own) == (len(frames_of(out)), 0)


def test_pictures_of_one_position(
    file: Path, played: Replay, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = len(played.decisions)
    whole = list(scenes(played))
    assert run(file, tmp_path / "end.svg", "--no-caption") == 0
    assert (tmp_path / "end.svg").read_text(encoding="utf-8") == whole[last].picture
    assert run(file, tmp_path / "two.svg", "--decision", "2", "--seat", "1", "--language", "fr") == 0
    (scene,) = scenes(played, only=2, seat=1, language="fr")
    assert (tmp_path / "two.svg").read_text(encoding="utf-8") == captioned(scene, last)
    assert f"the position after 2 of {last} decisions" in capsys.readouterr().out
    assert run(file, tmp_path / "new" / "two.png", "--decision", "2", "--width", "200") == 0
    assert (tmp_path / "new" / "two.png").read_bytes() == raster.png(captioned(whole[2], last), 200)
    for ending in ("gif", "webp"):
        assert run(file, tmp_path / f"one.{ending}", "--decision", "0", "--width", "200") == 0
        assert len(frames_of(tmp_path / f"one.{ending}")) == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--decision", "-1"], "decision: expected an integer in 0..16, because the game has 16 decisions, got -1"),
        (["--decision", "9999"], "decision: expected an integer in 0..16, because the game has 16 decisions, got 9999"),
        (["--seat", "2"], "seat: expected an integer in 0..1, got 2"),
        (["--seat", "-1"], "seat: expected an integer in 0..1, got -1"),
        (["--width", "10"], "width: expected an integer in 64..4096, got 10"),
        (["--width", "5000"], "width: expected an integer in 64..4096, got 5000"),
        (["--seconds", "0"], "seconds: expected a number in 0.02..60, got 0.0"),
        (["--seconds", "nan"], "seconds: expected a number in 0.02..60, got nan"),
        (["--language", "xx"], "language: expected one of en, fr, got 'xx'"),
        (
            ["--out", "film.mp4"],
            "out: expected a file name that ends in one of .svg, .png, .gif, .webp, got 'film.mp4'",
        ),
        (["--out", "film"], "a file name that ends in one of"),
        (["--components", "missing.toml"], "rules = 'sealed bids to 40'; the components have the hash"),
    ],
)
def test_wrong_options_are_named(
    more: list[str], message: str, file: Path, played: Replay, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "--components" in more:
        GAME_12 = record_game(3, [load_agent("random", game=GAME)], game=GAME, components=12)  # noqa: N806
        write(GAME_12, file)
        more, message = [], "rules = 'sealed bids to 12'; the components have the hash 'sealed bids to 40'"
    assert run(file, tmp_path / "film.gif", *more) == 2
    error = capsys.readouterr().err
    assert error.startswith("render: ")
    assert message.format(last=len(played.decisions)) in error
    assert not (tmp_path / "film.gif").exists()


def test_wrong_files_are_named(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "no.jsonl", tmp_path / "a.gif") == 2
    assert "no.jsonl: " in capsys.readouterr().err
    (tmp_path / "bad.jsonl").write_text("{}\n")
    assert run(tmp_path / "bad.jsonl", tmp_path / "a.gif") == 2
    assert "bad.jsonl: line 1: format" in capsys.readouterr().err
    (tmp_path / "folder.gif").mkdir()
    assert run(file, tmp_path / "folder.gif") == 2
    assert "expected a file, got the folder" in capsys.readouterr().err
    silent = record_game(3, [load_agent("random", game=BIDS)], game=BIDS)
    (tmp_path / "silent.jsonl").write_text(to_text(silent))
    assert main([str(tmp_path / "silent.jsonl"), "--out", str(tmp_path / "a.gif"), "--game", "tests.silent_bids"]) == 2
    assert "silent_bids: this game has no pictures" in capsys.readouterr().err
    assert main([str(file), "--out", str(tmp_path / "a.gif"), "--game", "no such"]) == 2
    assert (
        "game: expected one of dunaia, dune, dunaia_assigned, or a module such as my_package.game, got 'no such'"
        in capsys.readouterr().err
    )


def test_a_film_has_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(film, "MOST_PIXELS", 3 * 64 * 32)
    svgs = [PRESENTATION.picture({"round": number}, None) for number in range(4)]
    film.write_film(tmp_path / "a.gif", svgs[:3], 64, 1.0)
    with pytest.raises(ValueError, match="width: 64; 4 frames have too many pixels, 55 is the most for them"):
        film.write_film(tmp_path / "b.gif", svgs, 64, 1.0)
    with pytest.raises(ValueError, match=r"a film ends in one of \.gif, \.webp"):
        film.write_film(tmp_path / "b.png", svgs, 64, 1.0)
    assert [path.name for path in tmp_path.iterdir()] == ["a.gif"]


def test_a_picture_is_a_png(tmp_path: Path) -> None:
    film.write_picture(tmp_path / "a.PNG", PRESENTATION.picture({"round": 1}, None), 64)
    with Image.open(io.BytesIO((tmp_path / "a.PNG").read_bytes())) as image:
        assert (image.format, image.size) == ("PNG", (64, 32))
