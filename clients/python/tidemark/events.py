"""The events of a crawl, and its pages together with their content."""

from __future__ import annotations

from typing import Literal, Optional, TypedDict, Union

from . import types


class ProgressEvent(TypedDict):
    """The counts of the crawl so far."""

    id: str
    event: Literal["progress"]
    data: types.ProgressData


class PageEvent(TypedDict):
    """A page was stored."""

    id: str
    event: Literal["page"]
    data: types.PageData


class DecisionEvent(TypedDict):
    """URLs were admitted, skipped or deferred."""

    id: str
    event: Literal["decision"]
    data: types.DecisionData


class EndEvent(TypedDict):
    """The crawl has ended."""

    id: str
    event: Literal["end"]
    data: types.EndData


CrawlEvent = Union[ProgressEvent, PageEvent, DecisionEvent, EndEvent]


class PageWithContent(types.PageItem, total=False):
    """A page of a list, with the content that `include` names; null: the page has none."""

    html: Optional[str]
    markdown: Optional[str]
    article_text: Optional[str]
    article_html: Optional[str]
    article_markdown: Optional[str]
    metadata: Optional[types.PageMetadata]
    signals: Optional[types.Signals]
