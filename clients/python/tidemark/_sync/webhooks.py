# Generated from ../_async by `node test/python-sdk.ts`: do not edit.
"""The webhooks of the project."""

from __future__ import annotations

from ..webhooks import verify
from .operations import WebhooksOperations


class Webhooks(WebhooksOperations):
    """The webhooks of the project."""

    verify = staticmethod(verify)
