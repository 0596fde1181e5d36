"""How the server answers a request that it refuses: an HTTP status and one clear sentence."""

from __future__ import annotations

MALFORMED = 400
FORBIDDEN = 403
UNKNOWN = 404
WRONG_METHOD = 405
TOO_SLOW = 408
CONFLICT = 409
TOO_LARGE = 413
WRONG_TYPE = 415
WRONG_HOST = 421
NOT_ALLOWED = 422
TOO_MANY = 429
FAULT = 500
UNAVAILABLE = 503


class RefusedError(Exception):
    """A request that the server refuses.

    Args:
        status: the HTTP status.
        text: one sentence for a person: what is wrong, and what is allowed. It must hold no token and nothing that the
            client may not know.
        wait: seconds after which the request may be repeated; None if repeating it does not help.
    """

    def __init__(self, status: int, text: str, *, wait: float | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.wait = wait


class StorageError(Exception):
    """A table cannot be read from its folder or written to it; the message names the file and says why."""
