"""The prefix cache: what requests have computed stays for those that begin alike, as long as nobody needs the room."""
