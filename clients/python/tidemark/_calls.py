"""One request of the API, before it is sent."""

from __future__ import annotations

import platform
import re
import uuid
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple, TypedDict, Union
from urllib.parse import quote

from ._version import __version__
from .errors import InvalidArgumentError, TidemarkError


_HEADER = re.compile(r"(?:[!-~](?:[ \t!-~]*[!-~])?)?")
"""Printable ASCII without spaces at its ends."""


class Omitted:
    """The type of `OMITTED`: an argument that was not given, where None means null."""

    def __repr__(self) -> str:
        return "OMITTED"


OMITTED = Omitted()


class _ProgressRequired(TypedDict):
    stage: str


class Progress(_ProgressRequired, total=False):
    """The progress of an actor. `done` and `total` are absent while they are unknown."""

    done: int
    total: int


def segment(value: Union[str, int]) -> str:
    """Returns a value as one segment of a path."""
    if not isinstance(value, (str, int)):
        # Such as None, or a whole crawl in place of its id: the API would only know no such resource.
        raise InvalidArgumentError(f"An id must be a text or a number, not {type(value).__name__}.")
    return _quoted(str(value), safe="")


def segments(value: str) -> str:
    """Returns a value as a path whose slashes are kept."""
    return _quoted(value, safe="/")


def _quoted(value: str, safe: str) -> str:
    # httpx would resolve these segments, and the request would reach another operation.
    if any(one in (".", "..") for one in value.split("/")):
        raise TidemarkError(f"{value!r} has a segment '.' or '..', which no path of the API has.")
    try:
        return quote(value, safe=safe)
    except UnicodeError as error:
        raise InvalidArgumentError(f"{value!r} cannot be encoded: {error}.") from error


@dataclass(frozen=True)
class Call:
    """A request and the rules for its attempts."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Optional[Mapping[str, Any]] = None
    """The JSON body. Omitted values are left out, and None too, unless it is nullable."""
    nullable: Tuple[str, ...] = ()
    needs_body: bool = True
    content: Optional[bytes] = None
    """A body of bytes, instead of JSON."""
    headers: Mapping[str, str] = field(default_factory=dict)
    accept: str = "application/json"
    idempotent: bool = False
    """The request is a POST that has no further effect when it is repeated."""
    empty: bool = False
    """The request is a deletion that returns nothing."""
    keyed: bool = False
    """The API honours an `Idempotency-Key` here."""
    idempotency_key: Optional[str] = None
    public: bool = False
    """The request needs no API key, and none is sent."""
    text: bool = False
    """The response may be text instead of JSON."""
    known: Optional[Any] = None
    """An earlier response, which is returned if it is still valid."""
    patience: Optional[float] = None
    """Seconds that the work of the service may take, if more than usual."""
    long: bool = False
    """The service may work for more than an hour, so the result is read as a stream, which is never silent for long."""
    timeout: Optional[float] = None

    @property
    def repeatable(self) -> bool:
        """Whether a second attempt has no effect beyond the first one."""
        return self.method == "GET" or self.keyed

    @property
    def repeatable_after_answer(self) -> bool:
        """Whether the call may be repeated after a 503, which can follow the effect."""
        return self.repeatable or self.idempotent or self.method in ("PUT", "DELETE")

    def query_items(self) -> Dict[str, str]:
        """Returns the parameters that were given, as text."""
        given = {key: value for key, value in self.query.items() if value is not None}
        return {key: _query_text(value) for key, value in given.items()}

    def json_body(self) -> Optional[Dict[str, Any]]:
        """Returns the JSON body; None: the request has none."""
        if self.body is None:
            return None
        given = {
            key: value
            for key, value in self.body.items()
            if not isinstance(value, Omitted) and (value is not None or key in self.nullable)
        }
        return given if given or self.needs_body else None

    def seconds(self, usual: float) -> float:
        """Returns the seconds to wait for a response."""
        return self.timeout if self.timeout is not None else max(usual, self.patience or 0)


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(str(one) for one in value)
    return str(value)


def headers_of(call: Call, api_key: Optional[str], etag: Optional[str]) -> Dict[str, str]:
    """Returns the headers of all attempts of a call: a new key is the same in each of them."""
    headers = {
        "accept": call.accept,
        "user-agent": f"tidemark-python/{__version__} Python/{platform.python_version()}",
    }
    if call.text:
        headers["accept"] = "application/json;q=0.9, text/plain"
    if api_key is not None and not call.public:
        headers["authorization"] = f"Bearer {api_key}"
    if call.keyed:
        headers["idempotency-key"] = call.idempotency_key or str(uuid.uuid4())
    if etag is not None:
        headers["if-none-match"] = etag
    headers.update(call.headers)
    for name, value in headers.items():
        # The HTTP client would report a failed connection, or print the value.
        if not _HEADER.fullmatch(value):
            raise InvalidArgumentError(f"The header {name!r} has a character that no header has.")
    return headers
