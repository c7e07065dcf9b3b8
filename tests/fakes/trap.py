"""A listener that nothing should ever reach: redirects and fetches point here, and every connection is remembered."""

import socket
import threading
from typing import Self


class Trap:
    """Accepts connections on loopback for the time of a `with` block; `hits` holds the first bytes of each."""

    def __enter__(self) -> Self:
        self.hits: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                caller, _ = self._socket.accept()
            except OSError:
                return
            with caller:
                caller.settimeout(0.5)
                try:
                    self.hits.append(caller.recv(200))
                except OSError:
                    self.hits.append(b"")
