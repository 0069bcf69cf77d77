"""Stored pages."""

from __future__ import annotations

from .._calls import Call
from .operations import AsyncPagesOperations


class AsyncPages(AsyncPagesOperations):
    """Stored pages of the project."""

    async def screenshot(self, id: int) -> bytes:
        """Return the screenshot of a page, a PNG.

        Args:
            id: The page, of a crawl with `screenshots`.
        """
        call = Call("GET", f"/v1/pages/{int(id)}/screenshot", accept="image/png")
        async with self._transport.open(call) as response:
            return await response.aread()
