"""Reads server-sent events from the bytes of a stream, however they are cut."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Iterator, List, Optional


@dataclass
class StreamEvent:
    """An event of a stream. `data` is the JSON of its text."""

    id: str
    event: str
    text: str
    data: Any


@dataclass
class Lines:
    """Splits bytes into lines that end with LF, CR or CR LF. The rest without an end is kept back."""

    _rest: List[bytes] = field(default_factory=list)
    """The chunks of the unfinished line. They are joined at its end, so that a long line takes no quadratic time."""
    _follows_cr: bool = False

    def feed(self, chunk: bytes) -> Iterator[str]:
        """Yields the lines that the chunk completes."""
        if not chunk:
            return
        is_rest_of_end = self._follows_cr and chunk.startswith(b"\n")
        self._follows_cr = chunk.endswith(b"\r")
        new = chunk[1:] if is_rest_of_end else chunk
        parts = new.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        rest = parts.pop()
        if parts:
            parts[0] = b"".join([*self._rest, parts[0]])
            self._rest = []
        self._rest.append(rest)
        for part in parts:
            yield part.decode("utf-8", "replace")


@dataclass
class EventParser:
    """Collects the fields of an event until its blank line. An event without one is dropped."""

    last_id: str = ""
    _lines: Lines = field(default_factory=Lines)
    _type: str = ""
    _data: List[str] = field(default_factory=list)

    def feed(self, chunk: bytes) -> Iterator[StreamEvent]:
        """Yields the events that the chunk completes."""
        for line in self._lines.feed(chunk):
            event = self._take(line)
            if event is not None:
                yield event

    def _take(self, line: str) -> Optional[StreamEvent]:
        if line == "":
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id" and "\0" not in value:
            self.last_id = value
        return None

    def _dispatch(self) -> Optional[StreamEvent]:
        data, kind = "\n".join(self._data), self._type or "message"
        self._data, self._type = [], ""
        return StreamEvent(self.last_id, kind, data, json.loads(data)) if data else None
