"""Other people's allocators, each in a virtual environment of its own that `make peers` builds.

Modules here that import a peer run in that peer's Python, with this directory's parent on the path; they and what they
share with the rest of the room need nothing but the standard library and the peer.
"""
