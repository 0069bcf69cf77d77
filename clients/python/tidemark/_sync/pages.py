# Generated from ../_async by `node test/python-sdk.ts`: do not edit.
"""Stored pages."""

from __future__ import annotations

from .._calls import Call
from .operations import PagesOperations


class Pages(PagesOperations):
    """Stored pages of the project."""

    def screenshot(self, id: int) -> bytes:
        """Return the screenshot of a page, a PNG.

        Args:
            id: The page, of a crawl with `screenshots`.
        """
        call = Call("GET", f"/v1/pages/{int(id)}/screenshot", accept="image/png")
        with self._transport.open(call) as response:
            return response.read()
