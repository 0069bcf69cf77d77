"""When an attempt is repeated: only if that cannot cost twice.

That is after a refusal that bills nothing, or if the request never left, is a read, or carries an `Idempotency-Key`.
"""

from __future__ import annotations

import random
from typing import Optional

import httpx

from ._answers import count_in
from ._calls import Call
from .errors import ApiError, AttemptTimedOutError, ConnectionFailedError, TidemarkError


def failure_of(error: httpx.TransportError, url: str, seconds: float) -> TidemarkError:
    """Returns the error of an attempt without a response."""
    # The query of a download is a signature, which must not be in a log.
    address = url.split("?")[0]
    never_sent = isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
    if isinstance(error, httpx.TimeoutException) and not never_sent:
        return AttemptTimedOutError(f"{address} did not respond within {seconds:g} s.")
    detail = str(error) or type(error).__name__
    return ConnectionFailedError(f"The connection to {address} failed: {detail}", was_sent=not never_sent)


def pause_after(
    error: TidemarkError, call: Call, repeated: int, max_retry_after: float
) -> Optional[float]:
    """Returns the seconds to wait before another attempt; None: the error is final."""
    jitter = backoff(repeated)
    if isinstance(error, ConnectionFailedError):
        return jitter if call.repeatable or not error.was_sent else None
    if isinstance(error, AttemptTimedOutError):
        return jitter if call.repeatable else None
    if not isinstance(error, ApiError) or error.retry_after is None:
        return None
    if error.retry_after > max_retry_after:
        return None
    is_safe = call.repeatable_after_answer or _bills_nothing(error)
    if error.status != 429 and not (error.status == 503 and is_safe):
        return None
    return error.retry_after + random.random() * jitter


def is_deleted_before(error: TidemarkError, before: Optional[TidemarkError], call: Call) -> bool:
    """Returns whether a repeated deletion finds nothing to delete.

    The attempt before it has succeeded, although its response was a 503.
    """
    return call.empty and _is_answer(error, 404) and _is_answer(before, 503)


def _is_answer(error: Optional[TidemarkError], status: int) -> bool:
    return isinstance(error, ApiError) and error.status == status


def pause_of_stream(
    error: TidemarkError, call: Call, repeated: int, max_retry_after: float
) -> Optional[float]:
    """Returns the seconds to wait before a stream is continued; None: the error is final."""
    pause = pause_after(error, call, repeated, max_retry_after)
    if pause is None and isinstance(error, ApiError) and error.code is None and error.status >= 502:
        # A proxy in front of a gateway that restarts.
        return backoff(repeated)
    return pause


def backoff(repeated: int) -> float:
    """Returns half a second, doubled each time, less a random part up to its half."""
    return min(0.5 * 2.0**repeated, 8.0) * (1 - random.random() / 2)


def _bills_nothing(error: ApiError) -> bool:
    pages = count_in(error.headers, "x-pages-billed")
    return pages == 0 and not count_in(error.headers, "x-cloud-pages-billed")
