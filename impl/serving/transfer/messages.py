"""What the two ends of a transfer say to each other, in order, beside the bytes that go from arena to arena."""

from typing import TypeAlias

import msgspec


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first message of each end.

    Attributes:
        session: names one life of a process, and no other.
        address: where its transport is reached.
        base: what the transport adds to a byte of the arena.
        names: of its bands, in chain order.
        page_bytes: of each band.
        page_tokens: of each band.
        origins: of each band, the first byte of its page 0.
        model: whose layout it is.
    """

    session: str
    address: str
    base: int
    names: tuple[str, ...]
    page_bytes: tuple[int, ...]
    page_tokens: tuple[int, ...]
    origins: tuple[int, ...]
    model: str


class Give(msgspec.Struct, frozen=True, tag="give"):
    """Decode to prefill: a prompt's pages may be written here. They are held until it is known to be over.

    Attributes:
        name: of the request.
        attempt: names this transfer among all of all receivers, in all their lives.
        pages: of each band, physical ones.
        number: counts what its sender says to this peer, from 1: what comes again is nothing.
    """

    name: str
    attempt: str
    pages: tuple[tuple[int, ...], ...]
    number: int


class Abort(msgspec.Struct, frozen=True, tag="abort"):
    """Decode to prefill: nobody wants it any more. It has an answer of its own, `Forgotten`.

    Attributes:
        name: of the request.
        attempt: as it was given, or would have been.
        given: whether pages were given, which then stay held until an answer.
        number: counts what its sender says to this peer, from 1: what comes again is nothing.
    """

    name: str
    attempt: str
    given: bool
    number: int


class Landed(msgspec.Struct, frozen=True, tag="landed"):
    """Prefill to decode: every byte is there.

    Attributes:
        name: of the request.
        attempt: as it was given.
        first: the first new token.
        logits: of it.
    """

    name: str
    attempt: str
    first: int
    logits: tuple[float, ...]


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """Prefill to decode: it will not be completed.

    Attributes:
        name: of the request.
        attempt: as it was given.
        over: whether nothing can land any more; if not, bytes may come at any later time.
    """

    name: str
    attempt: str
    over: bool


class Over(msgspec.Struct, frozen=True, tag="over"):
    """Prefill to decode, after a failure: now nothing can land any more."""

    attempt: str


class Forgotten(msgspec.Struct, frozen=True, tag="forgotten"):
    """Prefill to decode, after an abort: nothing is left of it, nor computed for it, and its name may be used again."""

    attempt: str


Message: TypeAlias = Hello | Give | Abort | Landed | Failed | Over | Forgotten

_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


def encoded(message: Message) -> bytes:
    """A message as bytes."""
    return _ENCODER.encode(message)


def decoded(line: bytes) -> Message:
    """The message; msgspec.DecodeError if it is none."""
    return _DECODER.decode(line)
