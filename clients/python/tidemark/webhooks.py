"""Verifies webhooks: `X-Crawler-Signature`, and Standard Webhooks 1.0 with its time and its rotation of secrets."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Iterable, List, Mapping, Optional, Sequence, Union, cast

from . import types
from .errors import TidemarkError, WebhookVerificationError

WebhookEvent = Union[
    types.CrawlDoneEvent,
    types.CrawlDiffDetectedEvent,
    types.CrawlStartedEvent,
    types.PageFetchedEvent,
    types.CrawlFailedEvent,
    types.BatchDoneEvent,
]


def verify(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    now: Optional[float] = None,
    without_time: bool = False,
) -> WebhookEvent:
    """Returns the event of a webhook that Tidemark signed.

    Standard Webhooks decides, because it also signs the time. An attacker who removed its headers could send a captured
    request at any time, so `X-Crawler-Signature` alone counts only with `without_time`.

    Args:
        body: The bytes of the request, before they are parsed.
        headers: The headers of the request, in any case.
        secret: The secret of the project, in hex or with `whsec_`. Several while you rotate it.
        tolerance: Seconds by which the time of the webhook may differ.
        now: Seconds since 1970; by default the current time.
        without_time: Accept `X-Crawler-Signature` alone, which has no time: compare `delivered_at` yourself.

    Raises:
        WebhookVerificationError: No signature matches, or the webhook is too old.
        TidemarkError: The secret is invalid.
    """
    raw = body.encode("utf-8") if isinstance(body, str) else bytes(body)
    keys = [_key_of(one) for one in ([secret] if isinstance(secret, str) else secret)]
    given = {name.lower(): value for name, value in headers.items()}
    signatures = given.get("webhook-signature")
    if signatures is not None:
        _check_time(given.get("webhook-timestamp", ""), tolerance, time.time() if now is None else now)
        _check_standard(raw, given, signatures, keys)
    elif not without_time:
        raise WebhookVerificationError("The request has no webhook-signature.")
    elif "x-crawler-signature" in given:
        sent = given["x-crawler-signature"].lower()
        if not _any_equal(sent, ("sha256=" + hmac.new(key, raw, hashlib.sha256).hexdigest() for key in keys)):
            raise WebhookVerificationError("X-Crawler-Signature does not match the body and the secret.")
    else:
        raise WebhookVerificationError("The request has neither webhook-signature nor X-Crawler-Signature.")
    return cast(WebhookEvent, json.loads(raw))


def _check_time(timestamp: str, tolerance: float, now: float) -> None:
    if not (timestamp.isascii() and timestamp.isdigit()):
        raise WebhookVerificationError(f"webhook-timestamp is not a number of seconds: {timestamp!r}.")
    if abs(now - int(timestamp)) > tolerance:
        raise WebhookVerificationError(
            f"The webhook was signed at {timestamp}, more than {tolerance:g} s from now. Check the clock."
        )


def _check_standard(raw: bytes, given: Mapping[str, str], signatures: str, keys: List[bytes]) -> None:
    signed = f"{given.get('webhook-id', '')}.{given.get('webhook-timestamp', '')}.".encode("utf-8") + raw
    expected = [
        "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode("ascii")
        for key in keys
    ]
    # Each is compared, so that the time does not show which one matches.
    if True not in [_any_equal(sent, expected) for sent in signatures.split(" ")]:
        raise WebhookVerificationError("No signature of webhook-signature matches the body and the secret.")


def _any_equal(sent: str, expected: Iterable[str]) -> bool:
    given = sent.encode("utf-8")
    return True in [hmac.compare_digest(given, one.encode("utf-8")) for one in expected]


def _key_of(secret: str) -> bytes:
    try:
        key = (
            base64.b64decode(secret[len("whsec_") :], validate=True)
            if secret.startswith("whsec_")
            else bytes.fromhex(secret)
        )
    except (binascii.Error, ValueError):
        key = b""
    if key == b"":
        raise TidemarkError("The secret is neither hex nor whsec_ with base64.")
    return key
