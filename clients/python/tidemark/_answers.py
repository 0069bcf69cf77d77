"""Responses of the API: their content, and the facts of their headers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ._calls import Call
from .errors import error_of


@dataclass(frozen=True)
class Meta:
    """Facts of a response beside its content."""

    request_id: Optional[str]
    etag: Optional[str]
    warnings: Tuple[str, ...]
    """Parts of the request without an effect, one sentence each."""
    pages_billed: Optional[int]
    cloud_pages_billed: Optional[int]


class Answer(Dict[str, Any]):
    """The JSON object of a response: a plain dict with the facts of its headers as `meta`."""

    meta: Meta


def meta_of(result: object) -> Optional[Meta]:
    """Returns the facts of the response that a result came from; None: it is not a result of this client."""
    return getattr(result, "meta", None) if isinstance(result, Answer) else None


def answer_of(content: Mapping[str, Any], headers: Mapping[str, str]) -> Answer:
    """Returns an object together with the facts of its headers."""
    answer = Answer(content)
    own = content.get("warnings")
    answer.meta = Meta(
        request_id=headers.get("x-request-id"),
        etag=headers.get("etag"),
        warnings=tuple(dict.fromkeys([*(own if isinstance(own, list) else []), *_warnings_in(headers)])),
        pages_billed=count_in(headers, "x-pages-billed"),
        cloud_pages_billed=count_in(headers, "x-cloud-pages-billed"),
    )
    return answer


def content_of(call: Call, status: int, headers: Mapping[str, str], text: str) -> Any:
    """Returns the content of a successful response. Raises an ApiError for a response that is not of the API."""
    if status == 304 and call.known is not None:
        return call.known
    if status == 204:
        return None
    kind = headers.get("content-type", "")
    if "json" not in kind and call.text and kind.startswith("text/plain"):
        return text
    if "json" not in kind:
        raise error_of(status, headers, text)
    try:
        content = json.loads(text)
    except ValueError as error:
        raise error_of(status, headers, text) from error
    return answer_of(content, headers) if isinstance(content, dict) else content


def _warnings_in(headers: Mapping[str, str]) -> List[str]:
    try:
        sent = json.loads(headers.get("x-warnings", "[]"))
    except ValueError:
        return []
    return [str(one) for one in sent] if isinstance(sent, list) else []


def count_in(headers: Mapping[str, str], name: str) -> Optional[int]:
    """Returns the number in a header; None: the header is absent or no number."""
    value = headers.get(name, "")
    return int(value) if value.isdigit() else None
