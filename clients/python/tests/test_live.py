"""Against a running service: `TIDEMARK_BASE_URL`, `TIDEMARK_API_KEY` and a site of five pages, `TIDEMARK_TEST_SITE`."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from pathlib import Path
from typing import Iterator, List, Tuple
from urllib.parse import urlsplit

import pytest

import tidemark
from tidemark import errors

SITE = os.environ.get("TIDEMARK_TEST_SITE", "")
pytestmark = pytest.mark.skipif(SITE == "", reason="TIDEMARK_TEST_SITE names no site of a running service")

CUTS = 20


def test_five_lines_make_a_list_of_markdown_pages() -> None:
    from tidemark import Tidemark

    with Tidemark() as client:
        crawl = client.crawls.start(SITE, max_pages=50, delay_ms=0)
        client.crawls.wait(crawl["id"])
        pages = [page["markdown"] for page in client.crawls.pages(crawl["id"], include="markdown")]

    assert sorted(str(page).split("\n", 1)[0] for page in pages) == [f"# Page {n}" for n in range(5)]


def test_reading_the_log_adds_nothing_to_what_is_read() -> None:
    with tidemark.Tidemark() as client:
        for _ in range(7):
            client.account.usage()
        first = client.account.logs(limit=500).first()["items"]
        ids = [call["request_id"] for call in client.account.logs(limit=3)]
        assert len(ids) == len(set(ids))
        assert {call["request_id"] for call in first} <= set(ids)


def test_every_crawl_can_be_deleted_while_they_are_listed() -> None:
    with tidemark.Tidemark() as client:
        for n in range(5):
            crawl = client.crawls.start(f"{SITE}?{n}", max_pages=1, delay_ms=0)
            client.crawls.wait(crawl["id"])
        deleted = 0
        for listed in client.crawls.list(limit=2):
            client.crawls.delete(listed["id"])
            deleted += 1
        assert deleted >= 5
        assert client.crawls.list().first()["items"] == []


def test_asynchronous_calls_share_a_client() -> None:
    async def run() -> None:
        async with tidemark.AsyncTidemark() as client:
            crawl = await client.crawls.start(SITE, max_pages=50, delay_ms=0)
            events = [event async for event in client.crawls.events(crawl["id"])]
            assert events[-1]["event"] == "end"
            assert len({event["id"] for event in events}) == len(events)
            done = await client.crawls.wait(crawl["id"])
            assert done["status"] == "done"
            first, coverage, links = await asyncio.gather(
                client.crawls.pages(crawl["id"], limit=2).first(),
                client.crawls.coverage(crawl["id"]),
                client.crawls.links(crawl["id"]).all(),
            )
            assert (len(first["items"]), first["next_offset"]) == (2, 2)
            assert len(await client.crawls.pages(crawl["id"], limit=2).all()) == done["page_count"] == 5
            assert coverage["discovered"] >= 5 and len(links) >= 4
            again = await client.crawls.get(crawl["id"], known=done)
            while again is not done:  # the policies of a site may arrive after the end
                done, again = again, await client.crawls.get(crawl["id"], known=again)
            assert again["page_count"] == 5

    asyncio.run(run())


def test_scans_errors_and_warnings() -> None:
    with tidemark.Tidemark() as client:
        scan = client.scan(f"{SITE}1")
        assert scan["status"] == 200
        meta = tidemark.meta_of(scan)
        assert meta is not None and meta.pages_billed == 1 and meta.request_id
        many = client.scan_many([f"{SITE}1", f"{SITE}2"])
        assert [item["ok"] for item in many["items"]] == [True, True]
        with pytest.raises(errors.InvalidInputError) as refused:
            client.scan("ftp://example.com/")
        assert (refused.value.field, refused.value.status) == ("url", 400)
        with pytest.raises(errors.NotFoundError):
            client.crawls.wait(999_999_999)
        with client.request("GET", "/v1/usage", query={"colour": "red"}) as response:
            assert "colour" in response.headers["x-warnings"]


def test_an_export_is_downloaded(tmp_path: Path) -> None:
    with tidemark.Tidemark() as client:
        crawl = client.crawls.start(SITE, max_pages=50, delay_ms=0)
        client.crawls.wait(crawl["id"])
        export = client.exports.wait(client.crawls.export(crawl["id"], "jsonl")["id"], timeout=60)
        assert export["status"] == "done", export
        length = client.exports.download(export["id"], tmp_path / "pages")
        assert length == (tmp_path / "pages").stat().st_size > 0


def test_monitors_are_created_changed_and_deleted() -> None:
    with tidemark.Tidemark() as client:
        made = client.monitors.create(SITE, "0 6 * * 1-5", max_pages=5)
        changed = client.monitors.change(made["monitor_id"], enabled=False)
        assert changed["enabled"] is False
        assert made["monitor_id"] in [monitor["id"] for monitor in client.monitors.list()]
        client.monitors.delete(made["monitor_id"])


def test_events_survive_cut_connections() -> None:
    with tidemark.Tidemark() as client:
        crawl = client.crawls.start(SITE, max_pages=50, delay_ms=200)
        with CuttingProxy(CUTS) as proxy:
            with tidemark.Tidemark(base_url=proxy.base_url) as cut:
                received = [(event["id"], event["event"]) for event in cut.crawls.events(crawl["id"])]
        whole = [(event["id"], event["event"]) for event in client.crawls.events(crawl["id"])]
    assert proxy.cuts >= 3
    assert received == whole


class CuttingProxy:
    """Forwards connections to the service, and cuts them within their second event, a limited number of times."""

    def __init__(self, limit: int) -> None:
        address = urlsplit(os.environ["TIDEMARK_BASE_URL"])
        self._target: Tuple[str, int] = (address.hostname or "127.0.0.1", address.port or 80)
        self._limit = limit
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> "CuttingProxy":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        for client in self._clients():
            target = socket.create_connection(self._target)
            ends: List[socket.socket] = [client, target]
            threading.Thread(target=self._forward, args=(client, target, ends, False), daemon=True).start()
            threading.Thread(target=self._forward, args=(target, client, ends, True), daemon=True).start()

    def _clients(self) -> Iterator[socket.socket]:
        while True:
            try:
                yield self._listener.accept()[0]
            except OSError:
                return

    def _forward(self, source: socket.socket, to: socket.socket, ends: List[socket.socket], is_answer: bool) -> None:
        is_cut = is_answer and self.cuts < self._limit
        passed = b""
        try:
            while True:
                chunk = source.recv(64)
                if not chunk:
                    break
                to.sendall(chunk)
                passed += chunk
                if is_cut and passed.count(b"event: ") == 2:
                    self.cuts += 1
                    break
        except OSError:
            pass
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        source.close()
