# Generated from ../_async by `node test/python-sdk.ts`: do not edit.
"""Follows the events of a crawl to their end, over any number of connections."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Generator, Optional


from .._calls import Call
from .._retries import pause_of_stream
from .._sse import EventParser, StreamEvent
from ..errors import ConnectionFailedError, TidemarkError, WaitTimedOutError
from .transport import Transport

SILENCE_SECONDS = 50.0
"""The service sends a sign of life every 15 seconds."""

MAX_FAILURES = 12
"""Attempts in a row that bring no event, before the follower gives up: about a minute."""


def follow(
    transport: Transport,
    call: Call,
    last_event_id: Optional[str],
    deadline: Optional[float] = None,
) -> Generator[StreamEvent, None, None]:
    """Yields each event once, until `end`.

    Raises WaitTimedOutError when `time.monotonic()` passes the deadline.
    """
    last_id = last_event_id
    failures = 0
    while True:
        headers = {} if last_id is None else {"last-event-id": last_id}
        attempt = replace(call, headers=headers, timeout=_patience(call, deadline))
        error: TidemarkError = ConnectionFailedError("The stream has no end event.", was_sent=True)
        try:
            with transport.open(attempt, repeats=False) as response:
                if response.status_code == 204:
                    return
                parser = EventParser()
                for chunk in response.iter_bytes():
                    for event in parser.feed(chunk):
                        last_id, failures = event.id or last_id, 0
                        yield event
                        if event.event == "end":
                            return
                    _patience(call, deadline)
        except WaitTimedOutError:
            raise
        except TidemarkError as failure:
            error = failure
        _patience(call, deadline)
        pause = pause_of_stream(error, call, failures, transport.options.max_retry_after)
        if pause is None or failures >= (MAX_FAILURES if transport.options.max_retries > 0 else 0):
            raise error
        if deadline is not None:
            pause = max(0.0, min(pause, deadline - time.monotonic()))
        time.sleep(pause)
        failures += 1


def _patience(call: Call, deadline: Optional[float]) -> float:
    """Returns the seconds to wait for the next bytes."""
    usual = SILENCE_SECONDS if call.timeout is None else call.timeout
    if deadline is None:
        return usual
    left = deadline - time.monotonic()
    if left <= 0:
        raise WaitTimedOutError("The crawl did not end in time. It continues.")
    return min(usual, left)
