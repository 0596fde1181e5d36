"""Limits of the table's server: rates, numbers at once, clients and names."""

from __future__ import annotations

import pytest

from dunaia_env.table.errors import RefusedError
from dunaia_env.table.limits import MOST_CLIENTS, AtOnce, Limits, Rate, checked_name, client_key

pytestmark = pytest.mark.once


def test_rates_count_in_seconds_and_forget_old_clients() -> None:
    now = [0.0]
    rate = Rate(2.0, 3.0, lambda: now[0])
    for _ in range(3):
        rate.take("a")
    with pytest.raises(RefusedError) as refused:
        rate.take("a")
    assert refused.value.status == 429
    assert refused.value.wait == pytest.approx(0.5)
    rate.take("b")
    now[0] = 0.5
    rate.take("a")
    with pytest.raises(RefusedError):
        rate.take("a")
    now[0] = 100.0
    for _ in range(3):
        rate.take("a")
    with pytest.raises(RefusedError):
        rate.take("a")
    for number in range(2 * MOST_CLIENTS):
        rate.take(str(number))
    assert len(rate._left) == MOST_CLIENTS


def test_what_is_at_once_is_counted_down_again() -> None:
    at_once = AtOnce(1)
    with at_once.one("a"):
        with pytest.raises(RefusedError), at_once.one("a"):
            pass
        with at_once.one("b"):
            pass
    with at_once.one("a"):
        pass
    assert not at_once._counts


def test_clients_are_told_apart_by_what_they_cannot_choose() -> None:
    assert client_key("10.0.0.1") == "10.0.0.1"
    assert client_key("2001:db8::1") == client_key("2001:db8::ffff") != client_key("2001:db8:0:1::1")
    assert client_key(None) == ""
    assert client_key("testclient") == "testclient"


def test_limits_are_numbers_above_zero() -> None:
    for value in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="client_requests"):
            Limits(client_requests=value)


def test_names_are_cleaned() -> None:
    assert checked_name("  Ada \n Lovelace ") == "Ada Lovelace"
    assert checked_name("Zoë 🙂") == "Zoë 🙂"
    for name in ("", " ", "\x00", "a\x1b[31m", "\u202e", "a" * 41, " " * 1000 + "a", None, 3):
        with pytest.raises(RefusedError):
            checked_name(name)
