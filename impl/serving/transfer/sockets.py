"""What the kernel says of TCP connections (Linux): whether whatever came for a port was taken off its sockets."""

import os
import socket
import struct
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Final, NamedTuple

_TABLES: Final = (Path("/proc/self/net/tcp"), Path("/proc/self/net/tcp6"))
_LISTENS: Final = "0A"
_IS_READ: Final = frozenset({"01", "02", "03", "08"})
"""States of a connection from which its owner may still read what the other end sent: established, being established,
and closed by the other end alone."""


class Connection(NamedTuple):
    """A connection of this machine.

    Attributes:
        port: the own one.
        host: the other end's address.
        peer_port: the other end's.
    """

    port: int
    host: str
    peer_port: int


def listening() -> frozenset[int]:
    """The ports at which this process listens; none where the kernel does not say."""
    own = set()
    for name in os.listdir("/proc/self/fd") if _TABLES[0].exists() else ():
        try:
            own.add(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            # closed since it was listed
            continue
    return frozenset(
        connection.port
        for connection, state, inode in _connections()
        if state == _LISTENS and f"socket:[{inode}]" in own
    )


def unread(ports: frozenset[int], host: str) -> frozenset[Connection]:
    """The connections of a host to these ports of which not all was read."""
    hosts = {str(address[4][0]) for address in socket.getaddrinfo(host, None)}
    return frozenset(
        connection
        for connection, state, _ in _connections()
        if state in _IS_READ and connection.port in ports and connection.host in hosts
    )


def _connections() -> Iterator[tuple[Connection, str, str]]:
    """Each with its state and its inode, as numbers in the kernel's tables."""
    for table in _TABLES:
        if table.exists():
            for line in table.read_text().splitlines()[1:]:
                _, own, other, state, _, _, _, _, _, inode, *_ = line.split()
                host, port = other.split(":")
                yield Connection(int(own.split(":")[1], 16), _host(host), int(port, 16)), state, inode


def _host(digits: str) -> str:
    """An address of the kernel's tables, which are words in the machine's own order."""
    words = b"".join(struct.pack("=I", int(digits[begin : begin + 8], 16)) for begin in range(0, len(digits), 8))
    if len(words) == 4:
        return str(IPv4Address(words))
    address = IPv6Address(words)
    return str(address.ipv4_mapped or address)
