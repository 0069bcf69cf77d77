"""The options of a client."""

from __future__ import annotations

import os
import re
import ssl
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Optional

import httpx

from .errors import InvalidArgumentError

DEFAULT_BASE_URL = "http://127.0.0.1:8080"


@dataclass(frozen=True)
class Options:
    """The options that all calls of a client share."""

    api_key: Optional[str] = field(repr=False)
    base_url: str
    max_retries: int
    max_retry_after: float
    timeout: float


@lru_cache(maxsize=None)
def trusted_certificates() -> ssl.SSLContext:
    """Returns what httpx trusts by default. It reads it for each client, which takes 30 ms."""
    return httpx.create_ssl_context()


def options_of(
    api_key: Optional[str],
    base_url: Optional[str],
    max_retries: int,
    max_retry_after: float,
    timeout: float,
) -> Options:
    """Completes the options from the environment. Raises an InvalidArgumentError for an invalid address or key."""
    address = base_url or os.environ.get("TIDEMARK_BASE_URL") or DEFAULT_BASE_URL
    if not _is_http(address):
        raise InvalidArgumentError(f"base_url is not an http(s) address: {address!r}. Use http://127.0.0.1:8080.")
    key = (api_key or os.environ.get("TIDEMARK_API_KEY") or "").strip()
    # The HTTP client would print such a key in its error.
    if re.search(r"[^!-~]", key):
        raise InvalidArgumentError("The API key has a character that no key has, such as a space or a line break.")
    return Options(
        api_key=key or None,
        base_url=address.rstrip("/"),
        max_retries=max_retries,
        max_retry_after=max_retry_after,
        timeout=timeout,
    )


def _is_http(address: str) -> bool:
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL:
        return False
    return url.scheme in ("http", "https") and url.host != ""
