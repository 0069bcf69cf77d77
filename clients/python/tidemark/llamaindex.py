"""A reader for LlamaIndex. It needs the package `llama-index-core`."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Optional

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ._loading import document_of, require_success
from ._sync.client import Tidemark
from .errors import InvalidArgumentError


class TidemarkReader(BaseReader):
    """Crawls a site, or reads a finished crawl, and gives a document of Markdown for each page.

    Args:
        client: Options of the client, as of `Tidemark`, such as `{"api_key": "tmk_…"}`.
    """

    def __init__(self, *, client: Optional[Mapping[str, Any]] = None) -> None:
        self._client = dict(client or {})

    def lazy_load_data(
        self,
        url: Optional[str] = None,
        *,
        crawl_id: Optional[int] = None,
        crawl: Optional[Mapping[str, Any]] = None,
        only_main_content: bool = True,
    ) -> Iterator[Document]:
        """Yield the documents in the order in which the crawl stored the pages.

        Args:
            url: Where a new crawl starts.
            crawl_id: A finished crawl to read instead.
            crawl: Settings of the new crawl, as of `crawls.start`, such as `{"max_pages": 50}`.
            only_main_content: Leave out menus, headers, footers and banners.
        """
        if (url is None) == (crawl_id is None):
            raise InvalidArgumentError("Give either url, to crawl it, or crawl_id, to read a finished crawl.")
        with Tidemark(**self._client) as client:
            if crawl_id is None:
                crawl_id = client.crawls.start(url or "", **dict(crawl or {}))["id"]
                require_success(client.crawls.wait(crawl_id))
            pages = client.crawls.pages(
                crawl_id, include="markdown,metadata", status=200, only_main_content=only_main_content
            )
            for page in pages:
                text, metadata = document_of(page, crawl_id)
                if text:
                    yield Document(text=text, metadata=metadata, id_=f"tidemark-{metadata['page_id']}")
