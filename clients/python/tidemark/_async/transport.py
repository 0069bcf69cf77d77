"""Sends the requests of the client, and repeats attempts where that cannot cost twice."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, AsyncIterator, Callable, Optional
from urllib.parse import urlencode

import anyio
import httpx

from .._answers import answer_of, content_of, meta_of
from .._calls import Call, Progress, headers_of
from .._options import Options
from .._retries import failure_of, is_deleted_before, pause_after
from .._sse import EventParser
from ..errors import ConnectionFailedError, InvalidArgumentError, TidemarkError, error_of, streamed_error_of


class AsyncTransport:
    """The connections of a client."""

    def __init__(self, options: Options, http: httpx.AsyncClient) -> None:
        self.options = options
        self._http = http

    async def send(self, call: Call) -> Any:
        """Returns the content of the response. Raises an ApiError for every response that is not a success."""
        response = await self._attempts(
            call, streamed=False, max_retries=self.options.max_retries
        )
        return content_of(call, response.status_code, response.headers, response.text)

    @asynccontextmanager
    async def open(self, call: Call, *, repeats: bool = True) -> AsyncIterator[httpx.Response]:
        """Gives the response before its body is read, and closes it at the end.

        Without `repeats` the caller decides about further attempts.
        """
        max_retries = self.options.max_retries if repeats else 0
        response = await self._attempts(call, streamed=True, max_retries=max_retries)
        try:
            yield response
        except httpx.TransportError as error:
            raise failure_of(error, str(response.url), call.seconds(self.options.timeout)) from error
        finally:
            await response.aclose()

    async def send_with_progress(
        self, call: Call, on_progress: Optional[Callable[[Progress], None]]
    ) -> Any:
        """Returns the content of the response, and reports the progress until then."""
        if on_progress is None and not call.long:
            return await self.send(call)
        streamed = replace(call, accept="text/event-stream")
        async with self.open(streamed) as response:
            if "json" in response.headers.get("content-type", ""):
                await response.aread()
                return content_of(call, response.status_code, response.headers, response.text)
            parser = EventParser()
            async for chunk in response.aiter_bytes():
                for event in parser.feed(chunk):
                    if event.event == "result":
                        return answer_of(event.data, response.headers)
                    if event.event == "error":
                        raise streamed_error_of(response.headers, event.text)
                    if on_progress is not None:
                        on_progress(event.data)
        raise ConnectionFailedError("The stream ended without a result.", was_sent=True)

    async def _attempts(self, call: Call, *, streamed: bool, max_retries: int) -> httpx.Response:
        request = self._request_of(call)
        repeated = 0
        before: Optional[TidemarkError] = None
        while True:
            try:
                return await self._attempt(call, request, streamed=streamed)
            except TidemarkError as error:
                if is_deleted_before(error, before, call):
                    return httpx.Response(204)
                before = error
                pause = pause_after(error, call, repeated, self.options.max_retry_after)
                if pause is None or repeated >= max_retries:
                    raise
            await anyio.sleep(pause)
            repeated += 1

    async def _attempt(self, call: Call, request: httpx.Request, *, streamed: bool) -> httpx.Response:
        seconds = call.seconds(self.options.timeout)
        try:
            response = await self._http.send(request, stream=True)
            if streamed and response.is_success:
                return response
            try:
                await response.aread()
            finally:
                await response.aclose()
        except httpx.TransportError as error:
            raise failure_of(error, str(request.url), seconds) from error
        if response.is_success or response.status_code == 304:
            return response
        raise error_of(response.status_code, response.headers, response.text)

    def _request_of(self, call: Call) -> httpx.Request:
        if self._http.is_closed:
            raise TidemarkError("The client is closed, so nothing was sent. Create another one.")
        known = meta_of(call.known)
        headers = headers_of(call, self.options.api_key, known.etag if known else None)
        try:
            query = urlencode(call.query_items())
            return self._http.build_request(
                call.method,
                self.options.base_url + call.path + (f"?{query}" if query else ""),
                headers=headers,
                json=call.json_body(),
                content=call.content,
                timeout=call.seconds(self.options.timeout),
            )
        except UnicodeError as error:
            raise InvalidArgumentError(f"An argument cannot be encoded: {error}.") from error


class AsyncGroup:
    """Operations that belong together."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
