"""A node of the radix tree: a run of whole pages that follows its parent's."""

from collections.abc import Sequence
from dataclasses import dataclass, field

Key = tuple[int, ...]
"""The tokens of one page, and those after it of which its rows are made as well."""

Leaving = tuple[int, int, int]
"""A page that a node lets go of: its band, its place in the node's run, which of a state is the last, and its id."""


@dataclass(eq=False, slots=True)
class Node:
    """Pages of tokens, and the virtual pages in which each kind keeps them.

    Attributes:
        keys: the tokens of each page of the run.
        begin: pages before it, from the root.
        parent: None of the root.
        children: by the tokens of their first page.
        pages: of each band of tokens, one virtual page for each page of the run; None where a window let it go. Of
            full attention none is ever None. Of a state band, nothing.
        states: of each state band, the slot as it was after the last token of the run, or None.
    """

    keys: list[Key]
    begin: int
    parent: "Node | None"
    pages: dict[int, list[int | None]]
    states: dict[int, int | None]
    children: "dict[Key, Node]" = field(default_factory=dict)

    @property
    def end(self) -> int:
        """Pages from the root to its end."""
        return self.begin + len(self.keys)

    def matching(self, keys: Sequence[Key]) -> int:
        """Pages of the run that are also the next ones of a text."""
        same = 0
        for own, key in zip(self.keys, keys[self.begin :], strict=False):
            if own != key:
                break
            same += 1
        return same

    def split(self, count: int) -> "Node":
        """Cut it after so many of its pages; returns the new node above, which keeps those."""
        above = Node(
            self.keys[:count],
            self.begin,
            self.parent,
            {band: ids[:count] for band, ids in self.pages.items()},
            dict.fromkeys(self.states),
        )
        assert self.parent is not None, "the root has no pages"
        self.parent.children[above.keys[0]] = above
        above.children[self.keys[count]] = self
        self.parent, self.begin = above, self.begin + count
        del self.keys[:count]
        for ids in self.pages.values():
            del ids[:count]
        return above


def path_of(root: Node, keys: Sequence[Key]) -> list[tuple[Node, int]]:
    """The nodes from the root down that a text passes, without the root, and how many pages of each it shares."""
    path = []
    node = root
    while node.end < len(keys) and (child := node.children.get(keys[node.end])) is not None:
        path.append((child, child.matching(keys)))
        if path[-1][1] < len(child.keys):
            break
        node = child
    return path
