"""What is true of a device that serves an arena: accesses that are issued and happen later, and the order they run in.

It is a second transition system around the first: every action here is an action of the arena with what the device adds
to it, or a thing that only the device does. The judge has no part in it; the proofs have, and random walks.

An *access* is one reading or one writing of a page, or of an entry of the page table. It is issued, is pending until
it is over, and may touch its bytes at any moment in between, once all that runs before it is over. Which of two runs
before the other is the device's business (`ahead`), and of that only what streams and events promise is known: the
sentences of `streams`, none of which mentions the ledger. That the ledger's rules then suffice is what is proved.

What is said of a page is to be read of every part of it that is read and written as a whole, such as an entry.
"""
