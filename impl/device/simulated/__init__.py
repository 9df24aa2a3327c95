"""A device in the host's memory that does its work as late, and in any order, as streams and events allow."""
