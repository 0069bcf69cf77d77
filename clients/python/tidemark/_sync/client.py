# Generated from ../_async by `node test/python-sdk.ts`: do not edit.
"""The client."""

from __future__ import annotations

from contextlib import contextmanager
from types import TracebackType
from typing import Iterator, Mapping, Optional, Type

import httpx

from .._calls import Call
from .._options import options_of, trusted_certificates
from .account import Account
from .crawls import Crawls
from .exports import Exports
from .operations import (
    ActorsOperations,
    BatchesOperations,
    CloudOperations,
    KeysOperations,
    MonitorsOperations,
    RootOperations,
)
from .pages import Pages
from .transport import Transport
from .webhooks import Webhooks


class Tidemark(RootOperations):
    """A client of the API of Tidemark. Close it, or use it in a `with` statement.

    Args:
        api_key: The key of the project; by default the variable `TIDEMARK_API_KEY`.
        base_url: The address of the service; by default the variable `TIDEMARK_BASE_URL`, or
            http://127.0.0.1:8080.
        max_retries: Attempts that may follow the first one.
        max_retry_after: Longest `Retry-After` in seconds that is waited for.
        timeout: Seconds of silence after which an attempt ends.
        http_client: A client of httpx to send requests with, for example with a proxy. It is not
            closed with this one.
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        *,
        base_url: Optional[str] = None,
        max_retries: int = 2,
        max_retry_after: float = 60.0,
        timeout: float = 200.0,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        options = options_of(api_key, base_url, max_retries, max_retry_after, timeout)
        self._own = httpx.Client(verify=trusted_certificates()) if http_client is None else None
        http = http_client or self._own
        assert http is not None
        transport = Transport(options, http)
        super().__init__(transport)
        self.crawls = Crawls(transport)
        self.pages = Pages(transport)
        self.batches = BatchesOperations(transport)
        self.exports = Exports(transport)
        self.monitors = MonitorsOperations(transport)
        self.cloud = CloudOperations(transport)
        self.actors = ActorsOperations(transport)
        self.account = Account(transport)
        self.keys = KeysOperations(transport)
        self.webhooks = Webhooks(transport)

    @contextmanager
    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, object]] = None,
        body: Optional[Mapping[str, object]] = None,
        accept: str = "*/*",
        timeout: Optional[float] = None,
    ) -> Iterator[httpx.Response]:
        """Returns the response of any request, with its body not read: for CSV, NDJSON and images.

        A request is repeated only if that cannot cost twice, like every call.

        Args:
            method: The method, such as GET.
            path: The path, such as /v1/crawls/2/links.
            query: Parameters; None leaves one out.
            body: The JSON body.
            accept: The media type of the response.
            timeout: Seconds of silence after which an attempt ends.
        """
        call = Call(method, path, query or {}, body, accept=accept, timeout=timeout)
        with self._transport.open(call) as response:
            yield response

    def close(self) -> None:
        """Close the connections."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> "Tidemark":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()
