"""Messages over a socket that never makes anybody wait."""

import socket
import struct
from typing import Final

from impl.serving.transfer.messages import Message, decoded, encoded

_LENGTH: Final = struct.Struct("!I")
_AT_ONCE: Final = 1 << 16


class Channel:
    """Keeps what a peer does not take yet, and gives what has arrived whole.

    Args:
        connected: a stream; the channel's from now on.

    Attributes:
        is_closed: whether the peer is not there any more, or the way to it.
    """

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        self._socket = connected
        self._out, self._in = bytearray(), bytearray()
        self.is_closed = False

    def post(self, message: Message) -> None:
        """Send a message, now or as soon as the peer takes it."""
        line = encoded(message)
        self._out += _LENGTH.pack(len(line)) + line
        self._flush()

    def take(self) -> list[Message]:
        """The messages that have arrived.

        Raises:
            msgspec.DecodeError: the peer speaks another language.
        """
        self._flush()
        try:
            while data := self._socket.recv(_AT_ONCE):
                self._in += data
            self.is_closed = True
        except BlockingIOError:
            pass
        except OSError:
            self.is_closed = True
        found = []
        while len(self._in) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._in)[0]
            if len(self._in) < end:
                break
            found.append(decoded(bytes(self._in[_LENGTH.size : end])))
            del self._in[:end]
        return found

    def close(self) -> None:
        """Nothing is sent or taken any more."""
        self._socket.close()
        self.is_closed = True

    def _flush(self) -> None:
        try:
            while self._out and not self.is_closed:
                del self._out[: self._socket.send(self._out)]
        except BlockingIOError:
            pass
        except OSError:
            self.is_closed = True
