"""The webhooks of the project."""

from __future__ import annotations

from ..webhooks import verify
from .operations import AsyncWebhooksOperations


class AsyncWebhooks(AsyncWebhooksOperations):
    """The webhooks of the project."""

    verify = staticmethod(verify)
