"""What is true of an arena of bands: its state, what may happen, what then always holds, and the judge of a trace.

Read `state`, then `words`, `actions`, `invariants`, `theorems` and `steps`; each is written once, as plain functions,
and read by the proofs, the judge, the generators, the counterexamples and the documents alike. `device` is the same of
an arena together with the device that serves it: what is issued, in which order it runs, and what is then found.
"""
