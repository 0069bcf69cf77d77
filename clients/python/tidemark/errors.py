"""The errors of the client: one class for each code of the API, and the failures without a response.

Programs test the class, or `code` and `reason`; the message is for people.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, Dict, Mapping, Optional, Type

from ._statuses import STATUSES


class TidemarkError(Exception):
    """Any error that the client itself raises."""


class InvalidArgumentError(TidemarkError, ValueError):
    """An option or an argument that no request can have. Nothing was sent."""


class ConnectionFailedError(TidemarkError):
    """No response arrived: the connection was refused or cut."""

    def __init__(self, message: str, *, was_sent: bool) -> None:
        super().__init__(message)
        self.was_sent = was_sent
        """False: the request never left, so it had no effect."""

    def __reduce__(self) -> Any:
        return (partial(type(self), was_sent=self.was_sent), self.args)


class AttemptTimedOutError(TidemarkError):
    """No response arrived within the `timeout` of an attempt."""


class WaitTimedOutError(TidemarkError):
    """The crawl or export did not end within the `timeout` of `wait`. It continues."""


class WebhookVerificationError(TidemarkError):
    """A webhook is not signed with the secret, or is too old."""


class ApiError(TidemarkError):
    """An error of the API. `code` is `None` if the response does not come from Tidemark but, for example, from a proxy."""

    def __init__(self, status: int, headers: Mapping[str, str], text: str) -> None:
        self.status = status
        self.headers = headers
        self.body: Any = _parsed(text)
        error = self.body.get("error") if isinstance(self.body, dict) else None
        facts: Dict[str, Any] = error if isinstance(error, dict) else {}
        self.code: Optional[str] = _text(facts.get("code"))
        self.message: str = (
            _text(facts.get("message"))
            or f"The response has the status {status} and does not come from Tidemark."
        )
        self.reason: Optional[str] = _text(facts.get("reason"))
        """Stable sub-code, such as `daily_pages`."""
        self.field: Optional[str] = _text(facts.get("field"))
        """The field of the request that is invalid."""
        self.request_id: Optional[str] = _text(facts.get("request_id")) or headers.get("x-request-id")
        sent = _number(headers.get("retry-after"))
        said = _number(facts.get("retry_after_seconds"))
        self.retry_after: Optional[float] = said if sent is None else sent
        """Seconds after which the same request may succeed."""
        run_id = _number(facts.get("run_id"))
        self.run_id: Optional[int] = None if run_id is None else int(run_id)
        """The crawl to which the error refers."""
        super().__init__(self.message)

    def __str__(self) -> str:
        parts = [self.message]
        known = {"code": self.code, "reason": self.reason, "field": self.field}
        parts += [f"{name}={value}" for name, value in known.items() if value is not None]
        if self.request_id is not None:
            parts.append(f"request_id={self.request_id}")
        return f"{parts[0]} ({', '.join([str(self.status), *parts[1:]])})"

    def __reduce__(self) -> Any:
        text = self.body if isinstance(self.body, str) else json.dumps(self.body)
        return (type(self), (self.status, dict(self.headers), text))


class InvalidInputError(ApiError):
    """The request is not valid: see `field` and `reason`."""


class InvalidSignatureError(ApiError):
    """The address of a file was changed, or a payment event is not signed."""


class UnauthorizedError(ApiError):
    """The API key is missing or invalid."""


class NotFoundError(ApiError):
    """The project has no such object."""


class MethodNotAllowedError(ApiError):
    """The path does not support the method."""


class TimedOutError(ApiError):
    """The work took too long for the service; see `AttemptTimedOutError` for a missing response."""


class ConflictError(ApiError):
    """The object is in a state that does not allow this: see `reason`."""


class IdempotencyKeyReusedError(ApiError):
    """The Idempotency-Key was used with another body."""


class GoneError(ApiError):
    """The object existed and has been removed."""


class PayloadTooLargeError(ApiError):
    """The body exceeds the size limit."""


class UnsupportedMediaTypeError(ApiError):
    """The body is not JSON."""


class UnsupportedInputError(ApiError):
    """The endpoint does not support this kind of input."""


class NameTakenError(ApiError):
    """A project with this name exists."""


class SignupRateLimitedError(ApiError):
    """A limit of sign-ups is reached."""


class ChallengeFailedError(ApiError):
    """The challenge was not passed."""


class HeadersTooLargeError(ApiError):
    """The URL and the headers together exceed the size limit."""


class TooManyRequestsError(ApiError):
    """A limit of the project is reached: see `reason` and `retry_after`."""


class InternalError(ApiError):
    """A fault of the service, logged under `request_id`."""


class FetchFailedError(ApiError):
    """The site could not be fetched: see `reason`."""


class NotReadyError(ApiError):
    """The service is starting, or a part of it is unavailable."""


class UnavailableError(ApiError):
    """A part of the service is unavailable."""


class NotConfiguredError(ApiError):
    """The installation has no backend for the request."""


ERROR_CLASSES: Dict[str, Type[ApiError]] = {
    "invalid_input": InvalidInputError,
    "invalid_signature": InvalidSignatureError,
    "unauthorized": UnauthorizedError,
    "not_found": NotFoundError,
    "method_not_allowed": MethodNotAllowedError,
    "timeout": TimedOutError,
    "conflict": ConflictError,
    "idempotency_key_reused": IdempotencyKeyReusedError,
    "gone": GoneError,
    "payload_too_large": PayloadTooLargeError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "unsupported_input": UnsupportedInputError,
    "name_taken": NameTakenError,
    "signup_rate_limited": SignupRateLimitedError,
    "challenge_failed": ChallengeFailedError,
    "headers_too_large": HeadersTooLargeError,
    "too_many_requests": TooManyRequestsError,
    "RATE_LIMITED": TooManyRequestsError,
    "internal": InternalError,
    "fetch_failed": FetchFailedError,
    "not_ready": NotReadyError,
    "unavailable": UnavailableError,
    "not_configured": NotConfiguredError,
}
"""The class of each code; unknown codes are `ApiError`."""


def error_of(status: int, headers: Mapping[str, str], text: str) -> ApiError:
    """Returns the error that a response describes."""
    plain = ApiError(status, headers, text)
    of_code = ERROR_CLASSES.get(plain.code or "")
    return plain if of_code is None else of_code(status, headers, text)


def streamed_error_of(headers: Mapping[str, str], text: str) -> ApiError:
    """Returns the error that an event of a stream describes. The response had the status 200 when its stream began."""
    code = ApiError(200, headers, text).code
    return error_of(STATUSES.get(code or "", 500), headers, text)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None


def _number(value: Any) -> Optional[float]:
    if value is None or isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
