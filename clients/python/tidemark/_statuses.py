"""The HTTP status of each error code, generated: do not edit."""

from typing import Dict

STATUSES: Dict[str, int] = {
    "invalid_input": 400,
    "invalid_signature": 400,
    "unauthorized": 401,
    "not_found": 404,
    "method_not_allowed": 405,
    "timeout": 408,
    "conflict": 409,
    "idempotency_key_reused": 422,
    "gone": 410,
    "payload_too_large": 413,
    "unsupported_media_type": 415,
    "unsupported_input": 422,
    "name_taken": 422,
    "signup_rate_limited": 422,
    "challenge_failed": 422,
    "headers_too_large": 431,
    "too_many_requests": 429,
    "internal": 500,
    "fetch_failed": 502,
    "not_ready": 503,
    "unavailable": 503,
    "not_configured": 503,
    "RATE_LIMITED": 429,
}
