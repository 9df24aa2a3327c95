"""The memory that a replayed engine serves from: one arena under the real allocator, or split pools."""
