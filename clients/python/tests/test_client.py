"""Tests beyond the recorded exchanges: options, streams of actors, downloads, limits of time, and errors."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import pickle
import re
import time
from pathlib import Path
from typing import Any, Dict, List, Type, get_args, get_type_hints

import pytest
from recorded_server import RecordedServer

import tidemark
from tidemark import errors
from tidemark._async.crawls import EventType
from tidemark._calls import Progress
from tidemark._methods import METHODS
from tidemark._retries import backoff
from tidemark._sse import EventParser, Lines
from tidemark.webhooks import verify

PAGE = {"id": 1, "url": "https://example.com/", "status": 200, "bytes": 1, "fetched_at": "2026-01-02T03:04:05.678Z"}
STREAM = {"content-type": "text/event-stream; charset=utf-8"}


def client_of(server: RecordedServer, **options: Any) -> tidemark.Tidemark:
    return tidemark.Tidemark("tmk_test", base_url=server.base_url, **options)


def test_options_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with RecordedServer([{"status": 200, "json": {"items": []}}]) as server:
        monkeypatch.setenv("TIDEMARK_API_KEY", "tmk_other")
        monkeypatch.setenv("TIDEMARK_BASE_URL", f"{server.base_url}/")
        with tidemark.Tidemark() as client:
            assert client.keys.list().all() == []
        assert server.received[0].headers["authorization"] == "Bearer tmk_other"
        assert server.received[0].path == "/v1/keys"


def test_an_address_without_scheme_is_rejected() -> None:
    for address in ("example.com", "localhost:8080", "ftp://example.com", "http://", "http://["):
        with pytest.raises(errors.InvalidArgumentError, match="base_url is not an http"):
            tidemark.Tidemark("tmk_test", base_url=address)


@pytest.mark.parametrize("key", ["ключ", "two\nlines", " padded"])
def test_an_invalid_header_is_an_error_of_the_client(key: str) -> None:
    # Given a service, and a key that no header can have.
    with RecordedServer([{"status": 202, "json": {"id": 1}}]) as server, client_of(server) as client:
        # When it would be sent.
        with pytest.raises(errors.InvalidArgumentError, match="idempotency-key") as raised:
            client.crawls.start("https://example.com/", idempotency_key=key)
        # Then the error names the header without its value, and nothing is sent.
        assert key not in str(raised.value)
        assert server.received == []


def test_a_text_that_cannot_be_encoded_is_an_error_of_the_client() -> None:
    half = "\ud800"
    with RecordedServer([]) as server, client_of(server) as client:
        with pytest.raises(errors.InvalidArgumentError, match="surrogate"):
            client.crawls.explain(1, half)
        with pytest.raises(errors.InvalidArgumentError, match="surrogate"):
            client.keys.revoke(half)
        assert server.received == []


def test_a_call_of_a_closed_client_is_an_error_of_the_client() -> None:
    with RecordedServer([]) as server:
        client = client_of(server)
        client.close()
        with pytest.raises(errors.TidemarkError, match="closed"):
            client.account.usage()
        assert server.received == []


def test_an_id_of_another_type_is_an_error_of_the_client() -> None:
    crawl: Any = {"id": 1}
    with RecordedServer([]) as server, client_of(server) as client:
        for value, kind in ((crawl, "dict"), (crawl.get("run"), "NoneType")):
            with pytest.raises(errors.InvalidArgumentError, match=f"a text or a number, not {kind}"):
                client.crawls.get(value)
        assert server.received == []


def test_null_is_sent_only_where_the_api_has_it() -> None:
    with RecordedServer([{"status": 200, "json": {"id": 1}}] * 2) as server, client_of(server) as client:
        client.monitors.change(1, webhook_url=None, enabled=None)
        client.monitors.change(1, enabled=False)
        assert [json.loads(request.body) for request in server.received] == [
            {"webhook_url": None},
            {"enabled": False},
        ]


def test_actors_report_their_progress() -> None:
    text = (
        'event: progress\ndata: {"stage":"fetch","done":1}\n\n'
        'event: result\ndata: {"actor":"extract-article","data":{"word_count":3}}\n\n'
    )
    answer = {"status": 200, "headers": {**STREAM, "x-pages-billed": "1"}, "text": text}
    seen: List[Progress] = []
    with RecordedServer([answer, answer]) as server, client_of(server) as client:
        result = client.actors.extract_article("https://example.com/", on_progress=seen.append)
        assert result["data"]["word_count"] == 3
        assert seen == [{"stage": "fetch", "done": 1}]
        assert server.received[0].headers["accept"] == "text/event-stream"
        meta = tidemark.meta_of(result)
        assert meta is not None and meta.pages_billed == 1

        async def run() -> Any:
            async with tidemark.AsyncTidemark("tmk_test", base_url=server.base_url) as other:
                return await other.actors.extract_article("https://example.com/", on_progress=seen.append)

        assert asyncio.run(run()) == result
        assert len(seen) == 2


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("fetch_failed", 502, errors.FetchFailedError),
        ("RATE_LIMITED", 429, errors.TooManyRequestsError),
        ("of_a_later_version", 500, errors.ApiError),
    ],
)
def test_an_error_in_a_stream_has_the_status_of_its_code(
    code: str, status: int, kind: Type[errors.ApiError]
) -> None:
    error = {"code": code, "message": "Something is wrong.", "reason": "dns", "request_id": "req-1"}
    text = f"event: error\ndata: {json.dumps({'error': error})}\n\n"
    answer = {"status": 200, "headers": STREAM, "text": text}
    with RecordedServer([answer]) as server, client_of(server) as client:
        with pytest.raises(kind) as raised:
            client.actors.extract_article("https://example.com/", on_progress=lambda progress: None)
        found = raised.value
        assert (found.status, found.code, found.reason, found.request_id) == (status, code, "dns", "req-1")


def test_an_answer_of_another_server_is_an_api_error() -> None:
    broken = {"status": 200, "headers": {"content-type": "application/json"}, "text": "{"}
    odd = {"status": 200, "headers": {"x-warnings": "no list"}, "json": {"id": 2}}
    with RecordedServer([broken, odd]) as server, client_of(server) as client:
        with pytest.raises(errors.ApiError) as raised:
            client.crawls.get(2)
        assert raised.value.code is None
        meta = tidemark.meta_of(client.crawls.get(2))
        assert meta is not None and meta.warnings == ()


def test_the_key_is_not_printed() -> None:
    assert "tmk_test" not in repr(tidemark.Tidemark("tmk_test")._transport.options)
    with pytest.raises(errors.InvalidArgumentError) as raised:
        tidemark.Tidemark("tmk_a\nb")
    assert isinstance(raised.value, ValueError)
    assert "tmk_a" not in str(raised.value)


def test_a_key_may_come_from_a_file_with_its_line_break() -> None:
    with RecordedServer([{"status": 200, "json": {"items": []}}]) as server:
        with tidemark.Tidemark(" tmk_file\n", base_url=server.base_url) as client:
            client.keys.list().first()
        assert server.received[0].headers["authorization"] == "Bearer tmk_file"


def test_an_error_does_not_have_the_signature_of_a_download(tmp_path: Path) -> None:
    export = {"id": 9, "status": "done", "download_url": "http://x/v1/exports/9/file?expires=1&signature=deadbeef"}
    with RecordedServer([{"status": 200, "json": export}, {"cut": "before"}]) as server:
        with client_of(server, max_retries=0) as client, pytest.raises(errors.ConnectionFailedError) as raised:
            client.exports.download(9, tmp_path / "pages.zip")
        assert "/v1/exports/9/file failed" in str(raised.value)
        assert "deadbeef" not in str(raised.value)


def test_an_event_of_the_payment_provider_is_sent_as_its_bytes() -> None:
    event = b'{ "id": "evt_1" }\n'
    with RecordedServer([{"status": 200, "json": {"received": True}}]) as server, client_of(server) as client:
        client.account.payment_event(event, "t=1,v1=0")
        assert server.received[0].body == event
        assert server.received[0].headers["payment-signature"] == "t=1,v1=0"


def lines_of(*chunks: bytes) -> List[str]:
    lines = Lines()
    return [line for chunk in chunks for line in lines.feed(chunk)]


def test_lines_may_be_cut_anywhere() -> None:
    assert lines_of(b"a\r", b"\nb", b"", b"c\n\n", b"d\r\r\ne\rf\n", b"rest") == ["a", "bc", "", "d", "", "e", "f"]
    assert lines_of(b"a\r", b"", b"\n", b"\n") == ["a", ""]
    assert lines_of("é".encode()[:1], "é\n".encode()[1:]) == ["é"]


def test_the_time_of_a_long_line_grows_with_its_length_only() -> None:
    began = time.monotonic()
    (line,) = lines_of(*([b"x" * 4096] * 4096), b"\n")
    assert len(line) == 4096 * 4096
    assert time.monotonic() - began < 4


def test_an_actor_may_answer_without_a_stream() -> None:
    with RecordedServer([{"status": 200, "json": {"actor": "check-links"}}]) as server, client_of(server) as client:
        assert client.actors.check_links(url="https://example.com/", on_progress=print)["actor"] == "check-links"


def test_an_actor_that_may_work_for_long_is_read_as_a_stream() -> None:
    text = ': beat\n\nevent: progress\ndata: {"stage":"pages"}\n\nevent: result\ndata: {"actor":"sitemap-audit"}\n\n'
    with RecordedServer([{"status": 200, "headers": STREAM, "text": text}]) as server, client_of(server) as client:
        assert client.actors.sitemap_audit("https://example.com/")["actor"] == "sitemap-audit"
        assert server.received[0].headers["accept"] == "text/event-stream"


def test_a_failed_actor_raises_the_error_of_its_stream() -> None:
    error = {"error": {"code": "fetch_failed", "message": "No such host.", "reason": "dns"}}
    answer = {"status": 200, "headers": STREAM, "text": f"event: error\ndata: {json.dumps(error)}\n\n"}
    with RecordedServer([answer]) as server, client_of(server) as client:
        with pytest.raises(errors.FetchFailedError) as raised:
            client.actors.check_links(url="https://example.com/", on_progress=print)
        assert raised.value.reason == "dns"


def test_a_stream_of_an_actor_without_result_is_not_repeated() -> None:
    with RecordedServer([{"status": 200, "headers": STREAM, "text": ": beat\n\n"}]) as server, client_of(server) as client:
        with pytest.raises(errors.ConnectionFailedError):
            client.actors.check_links(url="https://example.com/", on_progress=print)


FILE = {"content-type": "application/octet-stream"}


def export_at(address: str) -> Dict[str, Any]:
    url = f"http://elsewhere.example/v1/exports/9/file?{address}"
    return {"status": 200, "json": {"id": 9, "status": "done", "download_url": url}}


def rest_of(text: str, at: int, total: int, **more: Any) -> Dict[str, Any]:
    content_range = f"bytes {at}-{at + len(text) - 1}/{total}"
    return {"status": 206, "headers": {**FILE, "content-range": content_range}, "text": text, **more}


def test_a_cut_download_continues_at_a_new_address(tmp_path: Path) -> None:
    answers = [
        export_at("expires=1&signature=s"),
        {"status": 200, "headers": FILE, "text": "first ", "cut": "within"},
        export_at("expires=2&signature=t"),
        rest_of("second", 6, 12),
    ]
    with RecordedServer(answers) as server, client_of(server) as client:
        assert client.exports.download(9, tmp_path / "pages.zip") == 12
        assert [request.query for request in server.received[1::2]] == [
            [("expires", "1"), ("signature", "s")],
            [("expires", "2"), ("signature", "t")],
        ]
        assert server.received[3].headers["range"] == "bytes=6-"
        assert "authorization" not in server.received[3].headers
    assert (tmp_path / "pages.zip").read_text() == "first second"
    assert [file.name for file in tmp_path.iterdir()] == ["pages.zip"]


def test_a_download_ends_after_cuts_without_progress_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidemark._sync.exports.backoff", lambda repeated: 0.0)
    cuts = [rest_of(str(at), at, 9, cut="within") for at in range(1, 5)]
    first = {"status": 200, "headers": FILE, "text": "0", "cut": "within"}
    files = [first, *cuts, rest_of("", 5, 9, cut="within")]
    answers = [answer for file in files for answer in (export_at("signature=s"), file)]
    with RecordedServer(answers) as server, client_of(server, max_retries=1) as client:
        with pytest.raises(errors.ConnectionFailedError):
            client.exports.download(9, tmp_path / "pages.zip")
        assert len(server.received) == len(answers)
    assert (tmp_path / "pages.zip.part").read_text() == "01234"


def test_an_export_without_file_is_no_download(tmp_path: Path) -> None:
    with RecordedServer([{"status": 200, "json": {"id": 9, "status": "failed", "download_url": None}}]) as server:
        with client_of(server) as client, pytest.raises(tidemark.TidemarkError, match="failed"):
            client.exports.download(9, tmp_path / "pages.zip")
    assert list(tmp_path.iterdir()) == []


def test_waiting_ends_at_its_timeout() -> None:
    event = 'id: 1-0\nevent: progress\ndata: {"page_count":1,"error_count":0,"pending":2,"discovered":3}\n\n'
    answer = {"status": 200, "headers": STREAM, "text": event}
    counts: List[Dict[str, Any]] = []
    with RecordedServer([answer, {"hang": True}]) as server, client_of(server) as client:
        begun = time.monotonic()
        with pytest.raises(errors.WaitTimedOutError):
            client.crawls.wait(2, timeout=1.5, on_progress=lambda data: counts.append({**data}))
        assert 1.4 < time.monotonic() - begun < 4
        assert counts[0]["pending"] == 2


def test_waiting_ends_at_its_timeout_although_the_service_asks_for_a_longer_pause() -> None:
    refusal = {"code": "too_many_requests", "message": "Too many streams."}
    answer = {"status": 429, "headers": {"retry-after": "6"}, "json": {"error": refusal}}
    with RecordedServer([answer]) as server, client_of(server) as client:
        begun = time.monotonic()
        with pytest.raises(errors.WaitTimedOutError):
            client.crawls.wait(2, timeout=0.5)
        assert time.monotonic() - begun < 4


def test_events_end_after_too_many_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark._sync.events.MAX_FAILURES", 2)
    with RecordedServer([{"cut": "before"}] * 3) as server, client_of(server) as client:
        with pytest.raises(errors.ConnectionFailedError):
            list(client.crawls.events(2))
        assert len(server.received) == 3


def test_types_that_exclude_the_end_still_see_it() -> None:
    text = 'id: 1-0\nevent: page\ndata: {"id":1}\n\nid: 2-0\nevent: end\ndata: {"status":"done"}\n\n'
    answer = {"status": 200, "headers": STREAM, "text": text}
    with RecordedServer([answer, answer]) as server, client_of(server) as client:
        assert [event["event"] for event in client.crawls.events(2, types=["page"])] == ["page"]
        assert [event["event"] for event in client.crawls.events(2, types="page")] == ["page"]
        assert [request.query for request in server.received] == [[("types", "page,end")]] * 2


def test_single_decisions_are_yielded_without_the_end() -> None:
    # Given a crawl with a failed URL.
    failed = '{"decision":"failed","pages":[{"url":"https://example.com/2","reason":"timeout","attempts":3}]}'
    text = f'id: 1-0\nevent: decision\ndata: {failed}\n\nid: 2-0\nevent: end\ndata: {{"status":"done"}}\n\n'
    with RecordedServer([{"status": 200, "headers": STREAM, "text": text}]) as server, client_of(server) as client:
        # When the caller follows only this decision.
        events = list(client.crawls.events(2, types=["failed"]))
    # Then the decision arrives, and the end that the client needs does not.
    assert [(event["id"], event["event"]) for event in events] == [("1-0", "decision")]
    assert server.received[0].query == [("types", "failed,end")]


def test_each_decision_of_the_api_is_a_type_of_events() -> None:
    decisions = [get_type_hints(option)["decision"] for option in get_args(tidemark.types.DecisionData)]
    names = {name for literal in decisions for name in get_args(literal)}
    assert set(get_args(EventType)) == names | {"page", "decision", "progress", "end"}


def test_leaving_a_stream_closes_its_connection() -> None:
    text = 'id: 1-0\nevent: page\ndata: {"id":1}\n\n'
    with RecordedServer([{"status": 200, "headers": STREAM, "text": text}]) as server, client_of(server) as client:
        events = client.crawls.events(2)
        assert next(events)["id"] == "1-0"
        events.close()
        assert len(server.received) == 1


def test_parts_of_a_list_can_be_read_one_by_one() -> None:
    answers = [
        {"status": 200, "json": {"items": [PAGE], "next_offset": 1}},
        {"status": 200, "json": {"items": [PAGE], "next_offset": None}},
    ]
    with RecordedServer(answers) as server, client_of(server) as client:
        assert [part["next_offset"] for part in client.crawls.pages(2).parts()] == [1, None]


def test_any_request_can_be_streamed() -> None:
    answers = [{"status": 200, "headers": {"content-type": "text/csv"}, "text": "id,url\r\n"}]
    with RecordedServer(answers) as server, client_of(server) as client:
        with client.request("GET", "/v1/crawls/2/links", query={"format": "csv", "limit": None}) as response:
            assert response.read() == b"id,url\r\n"
        assert server.received[0].query == [("format", "csv")]


@pytest.mark.parametrize("kind", [tidemark.Tidemark, tidemark.AsyncTidemark])
def test_no_method_takes_a_format_of_rows(kind: Type[Any]) -> None:
    """Given rows instead of JSON, a method has no result: only `request` returns them."""
    for name in METHODS.values():
        method: Any = kind("tmk_test")
        for part in name.split("."):
            method = getattr(method, part)
        given = inspect.signature(method).parameters.get("format")
        assert given is None or not {"csv", "ndjson"} & set(re.findall(r"\w+", str(given.annotation))), name
    for method in (kind("tmk_test").actors.audit_site, kind("tmk_test").batches.results):
        assert "NDJSON, send `format` with `client.request`." in str(inspect.getdoc(method))


def test_an_error_says_what_a_person_needs_and_can_be_pickled() -> None:
    body = {"error": {"code": "invalid_input", "message": "Not a URL.", "field": "url", "request_id": "r-1"}}
    error = errors.error_of(400, {}, json.dumps(body))
    assert str(error) == "Not a URL. (400, code=invalid_input, field=url, request_id=r-1)"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (errors.InvalidInputError, str(error))


@pytest.mark.parametrize(
    "error",
    [
        errors.TidemarkError("Wrong."),
        errors.ConnectionFailedError("Refused.", was_sent=False),
        errors.AttemptTimedOutError("Late."),
        errors.WaitTimedOutError("Late."),
        errors.WebhookVerificationError("Forged."),
        *(kind(409, {"x-request-id": "r-1"}, '{"error":{"code":"x"}}') for kind in errors.ERROR_CLASSES.values()),
        errors.ApiError(502, {}, "<html>"),
    ],
)
def test_every_error_can_leave_its_process(error: errors.TidemarkError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n"])
def test_events_are_read_however_their_bytes_are_cut(ending: str) -> None:
    lines = [": hello", "id: 1-0", "event: page", 'data: {"title":"Flut\u00fc"}', "", "id: 2-0", 'data: {"a":', "data: 1}", "", "data: {"]
    raw = ending.join(lines).encode("utf-8")
    for size in range(1, len(raw) + 1):
        parser = EventParser()
        chunks = [raw[at : at + size] for at in range(0, len(raw), size)]
        events = [event for chunk in chunks for event in parser.feed(chunk)]
        assert [(event.id, event.event, event.data) for event in events] == [
            ("1-0", "page", {"title": "Flut\u00fc"}),
            ("2-0", "message", {"a": 1}),
        ]


def test_pauses_double_and_vary() -> None:
    for repeated, longest in ((0, 0.5), (1, 1.0), (2, 2.0), (9, 8.0)):
        pauses = [backoff(repeated) for _ in range(200)]
        assert longest / 2 <= min(pauses) < max(pauses) <= longest


def test_a_secret_that_is_none_is_no_match() -> None:
    for secret in ("", "whsec_", "not hex"):
        with pytest.raises(tidemark.TidemarkError, match="neither hex"):
            verify(b"{}", {"x-crawler-signature": "sha256=00"}, secret, without_time=True)
    with pytest.raises(errors.WebhookVerificationError):
        verify(b"{}", {"x-crawler-signature": "sha256=00"}, [], without_time=True)
