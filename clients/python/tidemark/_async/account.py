"""The account of the project: usage, bill, limits."""

from __future__ import annotations

from typing import Optional, cast

from .. import types
from .._calls import Call
from .operations import AsyncAccountOperations


class AsyncAccount(AsyncAccountOperations):
    """The account of the project."""

    async def payment_event(
        self, body: bytes, signature: str, *, timeout: Optional[float] = None
    ) -> types.PaymentTaken:
        """Relay an event of the payment provider, which normally sends it itself.

        Args:
            body: The bytes of the event, as the provider signed them.
            signature: The header of the event with the signature of the provider.
            timeout: Seconds to wait for the service, instead of those of the client.
        """
        call = Call(
            "POST",
            "/v1/billing/webhook",
            content=body,
            headers={"content-type": "application/json", "payment-signature": signature},
            public=True,
            timeout=timeout,
        )
        return cast(types.PaymentTaken, await self._transport.send(call))
