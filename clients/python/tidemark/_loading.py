"""Converts pages to the documents of LangChain and LlamaIndex."""

from __future__ import annotations

from typing import Any, Dict, Tuple

from . import types
from .errors import TidemarkError
from .events import PageWithContent


def require_success(run: types.Run) -> None:
    """Raises a TidemarkError if a crawl has failed, so that it does not look like a site without pages."""
    if run["status"] == "failed":
        because = run.get("error_message") or run.get("error_reason") or "the service gives no reason"
        raise TidemarkError(f"The crawl {run['id']} of {run['url']} has failed: {because}")


def document_of(page: PageWithContent, crawl_id: int) -> Tuple[str, Dict[str, Any]]:
    """Returns the Markdown of a page, and its metadata as plain values."""
    facts: Dict[str, Any] = {
        "source": page["url"],
        "crawl_id": crawl_id,
        "page_id": page["id"],
        "fetched_at": page["fetched_at"],
    }
    known: Dict[str, Any] = dict(page.get("metadata") or {})
    for name in ("title", "description", "lang"):
        if isinstance(known.get(name), str):
            facts[name] = known[name]
    return page.get("markdown") or "", facts
