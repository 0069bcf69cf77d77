# Generated from ../_async by `node test/python-sdk.ts`: do not edit.
"""Crawls: start them, follow them, and read their results."""

from __future__ import annotations

import time
from typing import Any, Generator, Callable, Literal, Optional, Sequence, Union, cast


from .. import types
from .._calls import Call, segment
from ..events import CrawlEvent, PageWithContent
from ..errors import WaitTimedOutError
from .events import follow
from .listing import ContentListing, Listing
from .operations import CrawlsOperations

EventType = Literal[
    "page",
    "decision",
    "progress",
    "end",
    # Single decisions. Their events have the name `decision`:
    "admitted",
    "deferred",
    "skipped",
    "filtered",
    "pruned",
    "duplicated",
    "failed",
    "retried",
    "robots",
    "sitemap",
    "frontier_filled",
    "paused",
    "resumed",
    "reopened",
]


class Crawls(CrawlsOperations):
    """Crawls of the project."""

    def events(
        self,
        id: int,
        *,
        types: Optional[Union[EventType, Sequence[EventType]]] = None,
        max_per_second: Optional[int] = None,
        last_event_id: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Generator[CrawlEvent, None, None]:
        """Follow a crawl: yields each event once, from the first one to the end of the crawl.

        A connection that is cut is continued behind the last event.

        Args:
            id: The crawl.
            types: Only these types of events, or single decisions such as `failed`.
            max_per_second: Leave out pages, and decisions of one kind, beyond this number in a second.
            last_event_id: Continue after the event with this id.
            timeout: Seconds of silence after which a connection is replaced.
        """
        # Without the end, the follower could not distinguish it from a connection that was cut.
        chosen = [types] if isinstance(types, str) else types
        is_end_added = chosen is not None and "end" not in chosen
        sent = [*(chosen or ()), "end"] if is_end_added else chosen
        call = _events_call(id, sent, timeout, max_per_second)
        stream = follow(self._transport, call, last_event_id)
        try:
            for event in stream:
                if event.event != "end" or not is_end_added:
                    yield cast(CrawlEvent, {"id": event.id, "event": event.event, "data": event.data})
        finally:
            stream.close()

    def wait(
        self,
        id: int,
        *,
        on_progress: Optional[Callable[[types.ProgressData], None]] = None,
        timeout: Optional[float] = None,
    ) -> types.Run:
        """Wait for the end of a crawl and return it. It can have failed: see its `status`.

        Args:
            id: The crawl.
            on_progress: Receives the counts of the crawl while it runs.
            timeout: Seconds after which WaitTimedOutError is raised. The crawl continues.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        call = _events_call(id, ["progress", "end"], None)
        stream = follow(self._transport, call, None, deadline)
        try:
            for event in stream:
                if event.event == "progress" and on_progress is not None:
                    on_progress(event.data)
        finally:
            stream.close()
        pause = 0.05
        while True:
            run = self.get(id)
            if run["status"] not in ("queued", "running"):
                return run
            if deadline is not None and time.monotonic() > deadline:
                raise WaitTimedOutError("The crawl did not end in time. It continues.")
            time.sleep(pause)
            pause = min(2 * pause, 2.0)

    def pages(
        self,
        id: int,
        *,
        include: Optional[Union[str, Sequence[str]]] = None,
        fields: Optional[Union[str, Sequence[str]]] = None,
        status: Optional[int] = None,
        only_main_content: Optional[bool] = None,
        article_format: Optional[Literal["html", "markdown"]] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        known: Optional[types.PageList] = None,
        timeout: Optional[float] = None,
    ) -> Listing[PageWithContent, types.PageList]:
        """List the pages of a crawl, with `include` together with their content.

        Args:
            id: The crawl.
            include: Content of each page: markdown, metadata, article, signals, html.
            fields: Further fields of each page: content_hash, raw_hash, title, depth, inlinks,
                requested_url, content_type, blocked, rendered, trace_id.
            status: Only pages with this HTTP status.
            only_main_content: Markdown without menus, headers, footers and banners.
            article_format: The form of an article beside its text.
            limit: Maximum number of pages for each request.
            offset: Number of pages to skip.
            known: An earlier first part, which is returned again if nothing changed.
            timeout: Seconds to wait for the service, instead of those of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}/pages",
            query={
                "limit": limit,
                "offset": offset,
                "status": status,
                "fields": fields,
                "include": include,
                "only_main_content": only_main_content,
                "article_format": article_format,
            },
            known=known,
            timeout=timeout,
        )
        if include is None:
            return Listing[PageWithContent, types.PageList](self._transport, call, "items")
        return ContentListing[PageWithContent, types.PageList](self._transport, call, "items")


def _events_call(
    id: int,
    types: Optional[Sequence[str]],
    timeout: Optional[float],
    max_per_second: Optional[int] = None,
) -> Call:
    return Call(
        "GET",
        f"/v1/crawls/{segment(id)}/events",
        query={"types": types, "max_per_second": max_per_second},
        accept="text/event-stream",
        timeout=timeout,
    )
