"""Exports: all pages of a crawl as one file."""

from __future__ import annotations

import os
import time
from typing import BinaryIO, Optional, Union

import anyio

from .. import types
from .._calls import Call
from .._retries import backoff
from ..errors import (
    AttemptTimedOutError,
    ConnectionFailedError,
    TidemarkError,
    WaitTimedOutError,
)
from .operations import AsyncExportsOperations


class AsyncExports(AsyncExportsOperations):
    """Exports of the project."""

    async def wait(self, id: int, *, timeout: Optional[float] = None) -> types.Export:
        """Wait until an export is done or failed, and return it.

        Args:
            id: The export.
            timeout: Seconds after which WaitTimedOutError is raised. The export continues.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        pause = 0.1
        while True:
            export = await self.get(id)
            if export["status"] not in ("queued", "running"):
                return export
            if deadline is not None and time.monotonic() > deadline:
                raise WaitTimedOutError("The export did not end in time. It continues.")
            await anyio.sleep(pause)
            pause = min(1.5 * pause, 5.0)

    async def download(self, id: int, path: Union[str, "os.PathLike[str]"]) -> int:
        """Download the file of an export, and return its length in bytes.

        A download that is cut continues where it stopped, and fails after `max_retries` attempts in
        a row that brought no bytes. The file appears under its name when it is complete.

        Args:
            id: The export.
            path: The file to write. A file with this name is replaced.
        """
        target = os.fspath(path)
        partial = f"{target}.part"
        failures = furthest = 0
        address: Optional[str] = await self._address_of(id)
        with open(partial, "wb") as file:
            while True:
                try:
                    await self._append(address or await self._address_of(id), file)
                    break
                except (ConnectionFailedError, AttemptTimedOutError):
                    # An address expires after an hour, and a large file may take longer.
                    address = None
                    if file.tell() > furthest:
                        failures, furthest = 0, file.tell()
                    if failures >= self._transport.options.max_retries:
                        raise
                await anyio.sleep(backoff(failures))
                failures += 1
            length = file.tell()
        os.replace(partial, target)
        return length

    async def _address_of(self, id: int) -> str:
        """Returns a new address of the file. Raises a TidemarkError if there is no file."""
        export = await self.get(id)
        url = export.get("download_url")
        if url is None:
            raise TidemarkError(f"Export {id} has no file to download: its status is {export['status']}.")
        return url[url.index("/v1/") :]

    async def _append(self, address: str, file: BinaryIO) -> None:
        """Appends the bytes that the file does not have yet."""
        start = file.tell()
        call = Call(
            "GET",
            address,
            headers={"range": f"bytes={start}-", "accept-encoding": "identity"} if start > 0 else {},
            accept="application/octet-stream",
            public=True,
        )
        async with self._transport.open(call) as response:
            if response.status_code != 206 and start > 0:
                # The service sends the file from its beginning.
                file.seek(0)
                file.truncate()
            async for chunk in response.aiter_bytes():
                file.write(chunk)
