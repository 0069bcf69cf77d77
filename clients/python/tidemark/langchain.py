"""A document loader for LangChain. It needs the package `langchain-core`."""

from __future__ import annotations

from typing import Any, AsyncIterator, Dict, Iterator, Mapping, Optional

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from ._async.client import AsyncTidemark
from ._loading import document_of, require_success
from ._sync.client import Tidemark
from .errors import InvalidArgumentError


class TidemarkLoader(BaseLoader):
    """Crawls a site, or reads a finished crawl, and gives a document of Markdown for each page.

    Args:
        url: Where a new crawl starts.
        crawl_id: A finished crawl to read instead.
        crawl: Settings of the new crawl, as of `crawls.start`, such as `{"max_pages": 50}`.
        only_main_content: Leave out menus, headers, footers and banners.
        client: Options of the client, as of `Tidemark`, such as `{"api_key": "tmk_…"}`.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        crawl_id: Optional[int] = None,
        crawl: Optional[Mapping[str, Any]] = None,
        only_main_content: bool = True,
        client: Optional[Mapping[str, Any]] = None,
    ) -> None:
        if (url is None) == (crawl_id is None):
            raise InvalidArgumentError("Give either url, to crawl it, or crawl_id, to read a finished crawl.")
        self._url = url
        self._crawl_id = crawl_id
        self._crawl: Dict[str, Any] = dict(crawl or {})
        self._only_main_content = only_main_content
        self._client: Dict[str, Any] = dict(client or {})

    def lazy_load(self) -> Iterator[Document]:
        """Yield the documents in the order in which the crawl stored the pages."""
        with Tidemark(**self._client) as client:
            crawl_id = self._crawl_id
            if crawl_id is None:
                crawl_id = client.crawls.start(self._url or "", **self._crawl)["id"]
                require_success(client.crawls.wait(crawl_id))
            pages = client.crawls.pages(
                crawl_id,
                include="markdown,metadata",
                status=200,
                only_main_content=self._only_main_content,
            )
            for page in pages:
                text, metadata = document_of(page, crawl_id)
                if text:
                    yield Document(page_content=text, metadata=metadata)

    async def alazy_load(self) -> AsyncIterator[Document]:
        """Yield the same documents without blocking."""
        async with AsyncTidemark(**self._client) as client:
            crawl_id = self._crawl_id
            if crawl_id is None:
                crawl_id = (await client.crawls.start(self._url or "", **self._crawl))["id"]
                require_success(await client.crawls.wait(crawl_id))
            pages = client.crawls.pages(
                crawl_id,
                include="markdown,metadata",
                status=200,
                only_main_content=self._only_main_content,
            )
            async for page in pages:
                text, metadata = document_of(page, crawl_id)
                if text:
                    yield Document(page_content=text, metadata=metadata)
