"""A server that speaks as much of the Hugging Face Hub as an upload of a dataset needs, without a network."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TOKEN = "hf_of_a_test"


@dataclass
class Repository:
    """A repository: its files by path, and the summaries of its commits."""

    private: bool
    files: dict[str, bytes] = field(default_factory=dict)
    commits: list[str] = field(default_factory=list)

    def download(self, folder: Path) -> Path:
        """Write the files into ``folder``."""
        for name, data in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        return folder


@dataclass
class LocalHub:
    """The state of a running server.

    Args:
      endpoint: its address.
      broken: path of a request that it answers with a failure; None: of none.
    """

    endpoint: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    blobs: dict[str, bytes] = field(default_factory=dict)
    broken: str | None = None

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        """Return status and JSON of the answer to one request."""
        path = path.partition("?")[0]
        if self.broken is not None and self.broken in path:
            return 500, {"error": "out of order"}
        match method, path.strip("/").split("/"):
            case "POST", ["api", "repos", "create"]:
                return self._create(json.loads(body))
            case "POST", ["api", "validate-yaml"]:
                return 200, {"errors": [], "warnings": []}
            case "GET", ["api", "datasets", *name]:
                return self._info("/".join(name))
            case "POST", ["api", "datasets", *_, "preupload", "main"]:
                return 200, {"files": [self._mode(file["path"]) for file in json.loads(body)["files"]]}
            case "POST", ["datasets", *_, "info", "lfs", "objects", "batch"]:
                return 200, {"objects": [self._wanted(blob) for blob in json.loads(body)["objects"]]}
            case "PUT", ["blobs", oid]:
                assert hashlib.sha256(body).hexdigest() == oid
                self.blobs[oid] = body
                return 200, {}
            case "POST", ["api", "datasets", *name, "commit", "main"]:
                return self._commit("/".join(name), [json.loads(line) for line in body.splitlines()])
        raise AssertionError(f"{method} {path} is not spoken here")

    def _create(self, wanted: dict[str, Any]) -> tuple[int, Any]:
        name = f"{wanted['organization']}/{wanted['name']}"
        if name in self.repositories:
            return 409, {"error": "You already created this dataset repo", "url": f"{self.endpoint}/datasets/{name}"}
        private = wanted.get("private", wanted.get("visibility") == "private")
        self.repositories[name] = Repository(private)
        return 200, {"url": f"{self.endpoint}/datasets/{name}"}

    def _info(self, name: str) -> tuple[int, Any]:
        repository = self.repositories[name]
        files = [{"rfilename": path} for path in repository.files]
        return 200, {"id": name, "private": repository.private, "siblings": files, "tags": [], "disabled": False}

    def _mode(self, path: str) -> dict[str, Any]:
        mode = "lfs" if path.endswith(".parquet") else "regular"
        return {"path": path, "uploadMode": mode, "shouldIgnore": False, "oid": None}

    def _wanted(self, blob: dict[str, Any]) -> dict[str, Any]:
        if blob["oid"] in self.blobs:
            return blob
        return {**blob, "actions": {"upload": {"href": f"{self.endpoint}/blobs/{blob['oid']}"}}}

    def _commit(self, name: str, lines: list[dict[str, Any]]) -> tuple[int, Any]:
        repository = self.repositories[name]
        for line in lines:
            value = line["value"]
            match line["key"]:
                case "header":
                    repository.commits.append(value["summary"])
                case "file":
                    repository.files[value["path"]] = base64.b64decode(value["content"])
                case "lfsFile":
                    repository.files[value["path"]] = self.blobs[value["oid"]]
                case "deletedFile":
                    del repository.files[value["path"]]
        return 200, {"commitUrl": f"{self.endpoint}/datasets/{name}/commit/{0:040}", "commitOid": f"{0:040}"}


@contextmanager
def local_hub() -> Iterator[LocalHub]:
    """Run a server that lets in who has ``TOKEN``."""
    hub = LocalHub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self._body()
            token = self.headers.get("Authorization", f"Bearer {TOKEN}" if self.path.startswith("/blobs") else "")
            if token != f"Bearer {TOKEN}":
                status, values = 401, {"error": "Invalid username or password."}
            else:
                status, values = hub.answer(self.command, self.path, body)
            data = json.dumps(values).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            pieces = []
            while size := int(self.rfile.readline(), 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(pieces)

        do_GET = do_POST = do_PUT = _answer

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
