# Generated from ../_async by `node test/python-sdk.ts`: do not edit.
"""Lists of the API: awaited, a list is its first part; iterated, it is all items of all parts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Dict, Generator, Generic, List, Optional, Set, TypeVar, cast

import time

from .._answers import answer_of
from .._calls import Call
from .._retries import backoff
from .._sse import Lines
from ..errors import AttemptTimedOutError, ConnectionFailedError
from .transport import Transport

Item = TypeVar("Item")
Part = TypeVar("Part")


class Listing(Generic[Item, Part]):
    """A list of the API. Nothing is requested before it is awaited or iterated."""

    def __init__(
        self, transport: Transport, call: Call, key: str, item_key: Optional[str] = None
    ) -> None:
        self._transport = transport
        self._call = call
        self._key = key
        self._item_key = item_key
        """The field that identifies an item of a list that grows at its front: known items move into later parts."""

    def first(self) -> Part:
        """Returns the first part as the API returns it, with `next_offset`."""
        return cast(Part, self._part(self._call))

    def all(self) -> List[Item]:
        """Returns all items of all parts."""
        items: List[Item] = []
        for item in self:
            items.append(item)
        return items

    def parts(self) -> Generator[Part, None, None]:
        """Yields each part as the API returns it."""
        call: Optional[Call] = self._call
        while call is not None:
            part = self._part(call)
            following = self._call_after(call, part)
            yield cast(Part, part)
            call = following

    def __iter__(self) -> Generator[Item, None, None]:
        seen: Set[object] = set()
        for part in self.parts():
            for item in cast(Any, part)[self._key]:
                if self._item_key is not None:
                    if item[self._item_key] in seen:
                        continue
                    seen.add(item[self._item_key])
                yield cast(Item, item)

    def _part(self, call: Call) -> Any:
        return self._transport.send(call)

    def _call_after(self, call: Call, part: Any) -> Optional[Call]:
        offset = part.get("next_offset")
        if offset is None:
            return None
        following: Dict[str, Any] = {"offset": offset}
        if "before" in call.query:
            # Behind the last id, so that deletions meanwhile move nothing.
            following = {"before": part[self._key][-1]["id"], "offset": None}
        return replace(call, known=None, query={**call.query, **following})


class NumberedListing(Listing[Item, Part]):
    """A list whose parts have numbers and a total."""

    def _call_after(self, call: Call, part: Any) -> Optional[Call]:
        number = call.query.get("page") or 1
        size = call.query.get("limit") or len(part[self._key])
        if not part[self._key] or number * size >= part["total"]:
            return None
        return replace(call, known=None, query={**call.query, "page": number + 1})


class TimedListing(Listing[Item, Part]):
    """The log. It continues at the time of the last item.

    An offset alone would move, because each request of a part is a call that is added at the front. The time of the
    first item would not be enough: earlier calls may be added to the log later.
    """

    def parts(self) -> Generator[Part, None, None]:
        """Yields each part as the API returns it, without items of earlier parts."""
        call: Optional[Call] = self._call
        seen: Set[str] = set()
        while call is not None:
            part = self._part(call)
            following = self._call_after(call, part)
            items = part[self._key]
            fresh = [item for item in items if item["request_id"] not in seen]
            if following is not None:
                until = following.query["until"]
                kept = seen if until == call.query.get("until") else set()
                seen = kept | {item["request_id"] for item in items if item["ts"] == until}
            part[self._key] = fresh
            yield cast(Part, part)
            call = following

    def _call_after(self, call: Call, part: Any) -> Optional[Call]:
        items = part[self._key]
        if part.get("next_offset") is None or not items:
            return None
        until = items[-1]["ts"]
        skipped = call.query["offset"] if call is not self._call and until == call.query.get("until") else 0
        offset = skipped + sum(item["ts"] == until for item in items)
        return replace(call, known=None, query={**call.query, "until": until, "offset": offset})


class ContentListing(Listing[Item, Part]):
    """A list with contents, read as NDJSON. After a cut it continues behind the last whole line."""

    def __iter__(self) -> Generator[Item, None, None]:
        offset: Optional[int] = self._call.query.get("offset") or 0
        failures = 0
        while offset is not None:
            try:
                with self._transport.open(self._lines_from(offset)) as response:
                    lines = Lines()
                    for chunk in response.iter_bytes():
                        for line in lines.feed(chunk):
                            if line == "":
                                continue
                            offset, failures = offset + 1, 0
                            yield cast(Item, json.loads(line))
                    following = response.headers.get("x-next-offset")
                    offset = None if following is None else int(following)
            except (ConnectionFailedError, AttemptTimedOutError):
                if failures >= self._transport.options.max_retries:
                    raise
                time.sleep(backoff(failures))
                failures += 1

    def _part(self, call: Call) -> Any:
        with self._transport.open(self._lines_from(call.query.get("offset") or 0)) as response:
            lines = (response.read()).decode("utf-8").split("\n")
            following = response.headers.get("x-next-offset")
            part = {
                "items": [json.loads(line) for line in lines if line],
                "next_offset": None if following is None else int(following),
            }
            return answer_of(part, response.headers)

    def _lines_from(self, offset: int) -> Call:
        query = {**self._call.query, "format": "ndjson", "offset": offset or None}
        return replace(self._call, known=None, query=query, accept="application/x-ndjson")
