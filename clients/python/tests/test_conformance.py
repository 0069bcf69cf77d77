"""The recorded exchanges that every client handles alike, with both clients."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple
from urllib.parse import parse_qsl, urlsplit

import pytest
from recorded_server import Received, RecordedServer, free_port

import tidemark
from tidemark._methods import METHODS
from tidemark.webhooks import verify

FOLDER = Path(__file__).parents[2] / "conformance"
Case = Dict[str, Any]


def cases_of(name: str) -> List[Any]:
    cases: List[Case] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return [pytest.param(case, id=case["name"]) for case in cases]


EXCHANGES = [case for name in ("errors", "events", "paging", "responses", "retries") for case in cases_of(name)]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pauses are tested in test_client.py. `Retry-After` is waited for."""
    for module in ("_retries", "_sync.listing", "_async.listing"):
        monkeypatch.setattr(f"tidemark.{module}.backoff", lambda repeated: 0.02 * 2.0**repeated)


@pytest.mark.parametrize("case", EXCHANGES)
def test_synchronous_client(case: Case) -> None:
    check(case, lambda base: outcome_of_sync(case, base))


@pytest.mark.parametrize("case", EXCHANGES)
def test_asynchronous_client(case: Case) -> None:
    check(case, lambda base: asyncio.run(outcome_of_async(case, base)))


@pytest.mark.parametrize("case", cases_of("webhooks"))
def test_webhook(case: Case) -> None:
    options = {name: case[name] for name in ("tolerance", "without_time") if name in case}
    secrets = case["secrets"]
    for secret in [secrets, *(secrets if len(secrets) == 1 else [])]:
        try:
            event = verify(case["body"].encode("utf-8"), case["headers"], secret, now=case["now"], **options)
        except tidemark.TidemarkError as error:
            expected = {"valid": False, "error": "WebhookVerificationError", **case["outcome"]}
            assert {"valid": False, "error": type(error).__name__} == expected
        else:
            assert case["outcome"] == {"valid": True}
            assert event == json.loads(case["body"])


def check(case: Case, run: Callable[[str], Dict[str, Any]]) -> None:
    expected = dict(case["outcome"])
    least_ms = expected.pop("waited_ms", 0)
    with RecordedServer([exchange["answer"] for exchange in case["exchanges"]]) as server:
        base = f"http://127.0.0.1:{free_port()}" if case.get("unreachable") else server.base_url
        begun = time.monotonic()
        found = run(base)
        waited_ms = (time.monotonic() - begun) * 1000
        received = list(server.received)
    compare_outcome(found, expected)
    assert waited_ms >= least_ms
    assert len(received) == len(case["exchanges"]), [request.path for request in received]
    for number, exchange in enumerate(case["exchanges"]):
        compare_request(received, number, exchange["request"])


def compare_outcome(found: Dict[str, Any], expected: Dict[str, Any]) -> None:
    if "error" not in expected:
        assert "error" not in found, found
        for name, value in expected.items():
            assert found[name] == value, name
        return
    assert "error" in found, found
    for name, value in expected["error"].items():
        assert found["error"][name] == value, name


def compare_request(received: List[Received], number: int, expected: Dict[str, Any]) -> None:
    request = received[number]
    address = urlsplit(expected["path"])
    assert (request.method, request.path) == (expected["method"], address.path)
    assert request.query == sorted(parse_qsl(address.query, keep_blank_values=True))
    headers = {"authorization": "Bearer tmk_test", **expected.get("headers", {})}
    for name, value in headers.items():
        sent = request.headers.get(name)
        if value == "*":
            assert sent, name
        elif isinstance(value, str) and value.startswith("=") and value[1:].isdigit():
            assert sent == received[int(value[1:])].headers.get(name), name
        else:
            assert sent == value, name
    if "json" in expected:
        assert json.loads(request.body) == expected["json"]
        assert request.headers["content-type"] == "application/json"
    else:
        assert request.body == b""


def client_options(case: Case, base: str) -> Dict[str, Any]:
    given = dict(case.get("client", {}))
    timeout_ms = given.pop("timeout_ms", None)
    return {
        "api_key": "tmk_test",
        "base_url": base,
        **({} if timeout_ms is None else {"timeout": timeout_ms / 1000}),
        **given,
    }


def method_of(client: Any, case: Case) -> Tuple[Callable[..., Any], Dict[str, Any]]:
    """Returns the method of the operation and its arguments."""
    call = case["call"]
    method: Any = client
    for name in METHODS[call["operation"]].split("."):
        method = getattr(method, name)
    given = {**call.get("path", {}), **call.get("query", {}), **call.get("body", {})}
    arguments = {"from_" if name == "from" else name: value for name, value in given.items()}
    for name in ("idempotency_key", "last_event_id"):
        if name in call.get("options", {}):
            arguments[name] = call["options"][name]
    if isinstance(arguments.get("types"), str):
        arguments["types"] = arguments["types"].split(",")
    if call.get("as") == "wait":
        return client.crawls.wait, {"id": arguments["id"]}
    return method, arguments


def outcome_of_sync(case: Case, base: str) -> Dict[str, Any]:
    how = case["call"].get("as", "value")
    with tidemark.Tidemark(**client_options(case, base)) as client:
        method, arguments = method_of(client, case)
        try:
            if how == "events":
                return {"events": list(method(**arguments))}
            if how in ("all", "first"):
                return listed(how, method(**arguments), all_of_sync)
            first = method(**arguments)
            return finished(how, first, lambda: method(**arguments, known=first))
        except tidemark.TidemarkError as error:
            return {"error": facts_of(error)}


async def outcome_of_async(case: Case, base: str) -> Dict[str, Any]:
    how = case["call"].get("as", "value")
    async with tidemark.AsyncTidemark(**client_options(case, base)) as client:
        method, arguments = method_of(client, case)
        try:
            if how == "events":
                return {"events": [event async for event in method(**arguments)]}
            if how == "all":
                return {"items": [item async for item in method(**arguments)]}
            if how == "first":
                return {"value": await method(**arguments)}
            first = await method(**arguments)
            second = await method(**arguments, known=first) if how == "twice" else None
            return finished(how, first, lambda: second)
        except tidemark.TidemarkError as error:
            return {"error": facts_of(error)}


def all_of_sync(listing: Any) -> List[Any]:
    return list(listing)


def listed(how: str, listing: Any, all_of: Callable[[Any], List[Any]]) -> Dict[str, Any]:
    return {"items": all_of(listing)} if how == "all" else {"value": listing.first()}


def finished(how: str, first: Any, again: Callable[[], Any]) -> Dict[str, Any]:
    second = again() if how == "twice" else first
    meta = tidemark.meta_of(second)
    return {
        "value": second,
        "same": second is first,
        "meta": None if meta is None else {**meta.__dict__, "warnings": list(meta.warnings)},
    }


def facts_of(error: tidemark.TidemarkError) -> Dict[str, Any]:
    names = ("status", "code", "message", "reason", "field", "request_id", "retry_after", "run_id")
    return {"class": type(error).__name__, **{name: getattr(error, name, None) for name in names}}


def test_the_readme_lists_every_method() -> None:
    text = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `client(?:\.(\w+))?` \|(.*)\|$", text, re.MULTILINE)
    listed = {f"{group}.{name}".lstrip(".") for group, names in rows for name in re.findall(r"`(\w+)`", names)}
    assert set(METHODS.values()) - listed == set()
    for name in listed:
        method: Any = tidemark.Tidemark("tmk_test")
        for part in name.split("."):
            method = getattr(method, part)
        assert callable(method), name


def test_every_method_of_the_table_exists_in_both_clients() -> None:
    for client in (tidemark.Tidemark("tmk_test"), tidemark.AsyncTidemark("tmk_test")):
        for name in METHODS.values():
            method: Any = client
            for part in name.split("."):
                method = getattr(method, part)
            assert inspect.getdoc(method), name
