"""A small reverse proxy: shows a server below a path, as nginx or Caddy do."""

from __future__ import annotations

import contextlib
import re
import socket
import threading

_HEAD_END = b"\r\n\r\n"


class ReverseProxy:
    """Listens at a port of its own and passes requests below ``prefix`` on; others it answers with status 404.

    Every connection carries one request, WebSockets included. With ``strips`` it takes the prefix off.
    """

    def __init__(self, prefix: str, strips: bool) -> None:
        self._prefix, self._strips = prefix, strips
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}{prefix}"

    def pass_on_to(self, port: int) -> None:
        """Begin to pass requests on to the server at ``port``."""
        threading.Thread(target=self._accept, args=(port,), daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        self._listener.close()

    def _accept(self, port: int) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(near, port), daemon=True).start()

    def _serve(self, near: socket.socket, port: int) -> None:
        with contextlib.suppress(OSError), near:
            head = b""
            while _HEAD_END not in head:
                if not (data := near.recv(65536)):
                    return
                head += data
            method, path, _ = head.split(b" ", 2)
            if not re.match(re.escape(self._prefix.encode()) + rb"([/?]|$)", path):
                near.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            if self._strips:
                head = head.replace(method + b" " + self._prefix.encode(), method + b" ", 1)
                head = head.replace(method + b"  ", method + b" / ", 1)
            if not re.search(rb"(?i)\r\nupgrade:", head):
                head = re.sub(rb"(?i)\r\nconnection:[^\r]*", b"", head)
                head = head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
            with socket.create_connection(("127.0.0.1", port)) as far:
                far.sendall(head)
                threading.Thread(target=_pipe, args=(near, far), daemon=True).start()
                _pipe(far, near)


def _pipe(source: socket.socket, target: socket.socket) -> None:
    """Pass on what comes from ``source`` until it ends."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
