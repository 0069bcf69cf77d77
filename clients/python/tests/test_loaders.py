"""The loaders against the smallest interface of their frameworks, whose packages are not installed here."""

from __future__ import annotations

import asyncio
import json
import sys
from types import ModuleType
from typing import Any, Dict, List, Type

import pytest
from recorded_server import RecordedServer

from tidemark import TidemarkError
from tidemark.errors import InvalidArgumentError

PAGES: List[Dict[str, Any]] = [
    {"id": 5, "url": "https://example.com/", "status": 200, "bytes": 9, "fetched_at": "2026-01-02T03:04:05.678Z",
     "markdown": "# Home\n", "metadata": {"title": "Home", "description": None, "lang": "en"}},
    {"id": 6, "url": "https://example.com/a.pdf", "status": 200, "bytes": 9, "fetched_at": "2026-01-02T03:04:05.678Z",
     "markdown": None, "metadata": None},
]
FACTS = {"source": "https://example.com/", "crawl_id": 2, "page_id": 5, "fetched_at": "2026-01-02T03:04:05.678Z",
         "title": "Home", "lang": "en"}
LINES = {
    "status": 200,
    "headers": {"content-type": "application/x-ndjson"},
    "text": "".join(json.dumps(page) + "\n" for page in PAGES),
}
END = {"status": 200, "headers": {"content-type": "text/event-stream"}, "text": 'id: 1-0\nevent: end\ndata: {"status":"done"}\n\n'}
CRAWL = [{"status": 202, "json": {"id": 2}}, END, {"status": 200, "json": {"id": 2, "status": "done"}}, LINES]
FAILED_RUN = {"id": 2, "url": "https://example.com/", "status": "failed", "error_message": "No such host."}
FAILED: List[Dict[str, Any]] = [{"status": 202, "json": {"id": 2}}, END, {"status": 200, "json": FAILED_RUN}]


class FakeDocument:
    def __init__(self, **fields: Any) -> None:
        self.fields = fields


def install(monkeypatch: pytest.MonkeyPatch, modules: Dict[str, Dict[str, Type[Any]]]) -> None:
    for name, members in modules.items():
        parts = name.split(".")
        for depth in range(1, len(parts) + 1):
            parent = ".".join(parts[:depth])
            if parent not in sys.modules:
                monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
        for member, value in members.items():
            setattr(sys.modules[name], member, value)


class LangChainBase:
    """The parts of `BaseLoader` that callers use."""

    def lazy_load(self) -> Any:
        raise NotImplementedError

    def load(self) -> List[Any]:
        return list(self.lazy_load())

    async def aload(self) -> List[Any]:
        return [document async for document in self.alazy_load()]

    def alazy_load(self) -> Any:
        raise NotImplementedError


class LlamaIndexBase:
    """The parts of `BaseReader` that callers use."""

    def lazy_load_data(self, *args: Any, **more: Any) -> Any:
        raise NotImplementedError

    def load_data(self, *args: Any, **more: Any) -> List[Any]:
        return list(self.lazy_load_data(*args, **more))


def test_langchain_loads_the_pages_of_a_new_crawl(monkeypatch: pytest.MonkeyPatch) -> None:
    install(
        monkeypatch,
        {
            "langchain_core.document_loaders": {"BaseLoader": LangChainBase},
            "langchain_core.documents": {"Document": FakeDocument},
        },
    )
    monkeypatch.delitem(sys.modules, "tidemark.langchain", raising=False)
    from tidemark.langchain import TidemarkLoader

    with RecordedServer(CRAWL + CRAWL) as server:
        client = {"api_key": "tmk_test", "base_url": server.base_url}
        loader = TidemarkLoader("https://example.com/", crawl={"max_pages": 2}, client=client)
        documents = loader.load()
        assert [document.fields for document in documents] == [{"page_content": "# Home\n", "metadata": FACTS}]
        assert json.loads(server.received[0].body) == {"url": "https://example.com/", "max_pages": 2}
        assert ("only_main_content", "true") in server.received[3].query
        again = asyncio.run(loader.aload())
        assert [document.fields for document in again] == [document.fields for document in documents]
    with pytest.raises(InvalidArgumentError):
        TidemarkLoader()
    with RecordedServer(FAILED + FAILED) as server:
        failing = TidemarkLoader("https://example.com/", client={**client, "base_url": server.base_url})
        with pytest.raises(TidemarkError, match="has failed: No such host"):
            failing.load()
        with pytest.raises(TidemarkError, match="has failed: No such host"):
            asyncio.run(failing.aload())


def test_llamaindex_reads_a_finished_crawl(monkeypatch: pytest.MonkeyPatch) -> None:
    install(
        monkeypatch,
        {
            "llama_index.core.readers.base": {"BaseReader": LlamaIndexBase},
            "llama_index.core.schema": {"Document": FakeDocument},
        },
    )
    monkeypatch.delitem(sys.modules, "tidemark.llamaindex", raising=False)
    from tidemark.llamaindex import TidemarkReader

    with RecordedServer([LINES] + CRAWL) as server:
        reader = TidemarkReader(client={"api_key": "tmk_test", "base_url": server.base_url})
        expected = [{"text": "# Home\n", "metadata": FACTS, "id_": "tidemark-5"}]
        assert [document.fields for document in reader.load_data(crawl_id=2)] == expected
        assert [document.fields for document in reader.load_data("https://example.com/")] == expected
    with pytest.raises(InvalidArgumentError):
        reader.load_data()
    with RecordedServer(FAILED) as server:
        reader = TidemarkReader(client={"api_key": "tmk_test", "base_url": server.base_url})
        with pytest.raises(TidemarkError, match="has failed: No such host"):
            reader.load_data("https://example.com/")
