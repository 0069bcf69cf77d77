"""A server that gives the answers of a case of the conformance files, and records the requests."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Dict, List, Optional, Type
from urllib.parse import parse_qsl, urlsplit


class Received:
    """A request as the server received it."""

    def __init__(self, method: str, target: str, headers: Dict[str, str], body: bytes) -> None:
        self.method = method
        self.path = urlsplit(target).path
        self.query = sorted(parse_qsl(urlsplit(target).query, keep_blank_values=True))
        self.headers = headers
        self.body = body


class RecordedServer:
    """Listens on a free port while it is entered."""

    def __init__(self, answers: List[Dict[str, Any]]) -> None:
        self.answers = answers
        self.received: List[Received] = []
        self.released = threading.Event()
        self._lock = threading.Lock()

    def __enter__(self) -> "RecordedServer":
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:
                pass

            def handle_any(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(length)
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.answer(self, Received(self.command, self.path, headers, body))

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = handle_any

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, handler: BaseHTTPRequestHandler, request: Received) -> None:
        with self._lock:
            number = len(self.received)
            self.received.append(request)
        if number >= len(self.answers):
            _send(handler, {"status": 599, "text": "no such exchange"})
            return
        answer = self.answers[number]
        if answer.get("hang"):
            self.released.wait(30)
            _drop(handler)
        elif answer.get("cut") == "before":
            _drop(handler)
        else:
            _send(handler, answer)


def _send(handler: BaseHTTPRequestHandler, answer: Dict[str, Any]) -> None:
    is_json = "json" in answer
    text = json.dumps(answer["json"]) if is_json else answer.get("text", "")
    body = text.encode("utf-8")
    is_cut = answer.get("cut") == "within"
    headers = {name.lower(): value for name, value in answer.get("headers", {}).items()}
    if is_json:
        headers.setdefault("content-type", "application/json; charset=utf-8")
    handler.send_response_only(answer["status"])
    for name, value in headers.items():
        handler.send_header(name, value)
    if answer["status"] not in (204, 304):
        handler.send_header("content-length", str(len(body) + (100 if is_cut else 0)))
        handler.end_headers()
        handler.wfile.write(body)
        handler.wfile.flush()
    else:
        handler.end_headers()
    if is_cut:
        _drop(handler)


def _drop(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    try:
        handler.connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def free_port() -> int:
    """Returns a port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
