"""A wire between browsers and a server, which a test can cut and restore."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading


class Wire:
    """Listens at a port of its own and passes on whatever comes to ``port``.

    Args:
      port: of the server, on this machine.

    Attributes:
      resets: number of requests that find their connection closed, as by a server that has kept it for long enough.
        They are the next ones over connections with an answer.
    """

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._whole, self.resets = True, 0
        self._answered: set[socket.socket] = set()
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Every connection ends, and no new one is accepted."""
        self._whole = False
        for end in list(self._open):
            _close(end)

    def restore(self) -> None:
        """New connections are accepted again."""
        self._whole = True

    def _accept(self) -> None:
        while True:
            near, _ = self._listener.accept()
            if not self._whole:
                _close(near)
                continue
            far = socket.create_connection(("127.0.0.1", self._to))
            self._open |= {near, far}
            for ends in ((near, far, False), (far, near, True)):
                threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if source in self._answered and self.resets:
                    self.resets -= 1
                    source.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # RST, no FIN
                    source.close()
                    break
                target.sendall(data)
                if answers:
                    self._answered.add(target)
        for end in (source, target):
            _close(end)
            self._open.discard(end)


def _close(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
