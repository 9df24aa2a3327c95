"""What the device adds to the state of an arena."""

from spec.state import CONSTANTS, FIELDS, Field, Signature

UNISSUED, PENDING, OVER = 0, 1, 2
"""How far an access has come."""

DEVICE = Signature(
    {
        **FIELDS,
        "phase": Field("access", "phase", "whether an access was issued, and whether it is over"),
        "is_own": Field("access", "bool", "whether an access is the allocator's own, on its own stream"),
        "user": Field("access", "ticket", "whose access it is, if it is not the allocator's own"),
        "way": Field("access", "mode", "whether an access reads or writes"),
        "on_table": Field("access", "bool", "whether an access touches an entry of the page table, and no page"),
        "in_band": Field("access", "band", "the band of the page or of the entry"),
        "at_page": Field("access", "page", "the page that is touched, or that the entry is to name"),
        "at_vid": Field("access", "vid", "the virtual page whose entry is touched"),
        "origin": Field(
            "access",
            "access",
            "of a read, the write whose bytes it must find; of a copy's write, its read; of any other, itself",
        ),
        "due": Field("access", "value", "what a write must leave, or a read find, if that is known"),
        "is_known": Field("access", "bool", "whether that is known: a copy of what nobody wrote may be anything"),
        "found": Field("access", "value", "what a read found"),
        "memory": Field("band page", "value", "the bytes of a physical page as they are at this moment"),
        "filled": Field("band page", "bool", "whether anything was written to a page since it was handed out"),
        "latest": Field("band page", "access", "the write that was issued last to a page"),
        "entry": Field("band vid", "page", "the device's page table as it is at this moment"),
        "renamed": Field("band vid", "access", "the write that was issued last to an entry of the page table"),
    },
    {
        **CONSTANTS,
        "ahead": Field("access access", "bool", "the device runs the first access before the second"),
    },
)
"""Fields and constants of an arena and its device."""
