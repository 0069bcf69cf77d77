"""What the loaders of LangChain and LlamaIndex make of a page."""

from __future__ import annotations

from typing import Any, Dict, Tuple

from .events import PageWithContent


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
