"""Asks SGLang's allocator for pages of tokens and for states, lets requests grow, and gives all of it back."""

from collections.abc import Callable, Collection, Sequence

import torch

from fuzz.peers.inside.driver import SKIPPED, Broken
from fuzz.targets.sglang.building import IS_OLD
from fuzz.targets.sglang.choosing import Choosing
from fuzz.targets.sglang.given import Given, Spot, can_grow, each_once, is_there


class Paging(Choosing):
    """An arena of which pages are asked for and given back; each call answers with its outcome."""

    def _cap(self, moves: int) -> str:
        for member in self.members:
            member.part._lazy_max_moves_per_call = moves
        return "done"

    def _alloc(self, label: str, count: int) -> str:
        tokens = count * self.page_tokens
        promised = self._promises(count)

        def ask() -> torch.Tensor | None:
            found: torch.Tensor | None = self.allocator.alloc(tokens)
            return found

        given = self._granted(count, ask, promised, f"alloc({tokens})")
        if given is None:
            return "refused"
        ids = list(dict.fromkeys(token // self.page_tokens for token in given))
        self._must_be_whole(given, ids)
        self.pages[label] = Given(ids, tokens)
        return "granted"

    def _extend(self, batch: list[tuple[str, int]]) -> str:
        chosen = [
            (label, tokens)
            for label, tokens in dict(batch).items()
            if label not in self.pages or can_grow(self.pages[label])
        ]
        return self._grow(chosen, decode=False)

    def _decode(self, batch: list[str]) -> str:
        chosen = [(label, 1) for label in dict.fromkeys(batch) if label in self.pages and can_grow(self.pages[label])]
        return self._grow(chosen, decode=True)

    def _grow(self, batch: Sequence[tuple[str, int]], *, decode: bool) -> str:
        """Let requests grow by some tokens each, by the paged calls."""
        if not batch or self.page_tokens == 1:
            return SKIPPED
        before = [self.pages.get(label, Given([])) for label, _ in batch]
        lengths = torch.tensor([given.tokens for given in before])
        grown = torch.tensor([given.tokens + tokens for given, (_, tokens) in zip(before, batch, strict=True)])
        last = torch.tensor([self._last_token(given) for given in before])
        more = sum(tokens for _, tokens in batch)
        count = sum(self._pages(given.tokens + n) - len(given.ids) for given, (_, n) in zip(before, batch, strict=True))
        promised = self._promises(count)

        def ask() -> torch.Tensor | None:
            found: torch.Tensor | None
            if decode:
                found = self.allocator.alloc_decode(grown, grown, last)
            else:
                found = self.allocator.alloc_extend(lengths, lengths, grown, grown, last, more)
            return found

        # an id that was freed may come back
        known = {vid for given in before for place, vid in enumerate(given.ids) if place not in given.gone}
        tokens = self._granted(count, ask, promised, "alloc_decode" if decode else "alloc_extend", known)
        if tokens is None:
            return "refused"
        rest = iter(tokens)
        for given, (label, n) in zip(before, batch, strict=True):
            self._note_growth(given, [next(rest) for _ in range(n)])
            self.pages[label] = given
        return "granted"

    def _note_growth(self, given: Given, tokens: list[int]) -> None:
        """Take the tokens that a request was given, each in its place."""
        for token in tokens:
            place, offset = divmod(given.tokens, self.page_tokens)
            if place == len(given.ids) and offset == 0:
                given.ids.append(token // self.page_tokens)
            if place >= len(given.ids) or token != given.ids[place] * self.page_tokens + offset:
                raise Broken("agreement", f"token {given.tokens} of a request was put at {token}, not in its turn")
            given.tokens += 1

    def _state(self, label: str, count: int, prepared: bool) -> str:
        part = self.part["state"]
        room = max(part.available_size(), part.schedulable_available_size())

        def ask() -> torch.Tensor | None:
            if prepared and not IS_OLD:
                self.allocator.prepare_mamba_allocation(count)
            found: torch.Tensor | None = part.alloc(count)
            return found

        given = self._granted(count, ask, count <= room, f"alloc({count}) of states", kind="state")
        if given is None:
            return "refused"
        self.states[label] = Given(given, count)
        return "granted"

    def _granted(
        self,
        count: int,
        ask: Callable[[], torch.Tensor | None],
        promised: bool,
        what: str,
        known: Collection[int] = (),
        kind: str = "full",
    ) -> list[int] | None:
        """The tokens that the allocator gave when it was asked for so many pages; a promise is held against it."""
        tokens: list[int] | None = None
        size = int(self.part[kind].page_size)

        def make() -> list[list[int]] | None:
            nonlocal tokens
            found = ask()
            if found is None:
                return None
            tokens = found.tolist()
            ids = [vid for vid in dict.fromkeys(token // size for token in tokens) if vid not in known]
            return [ids if self._is_given(kind, each.kind) else [] for each in self.members]

        demand = [count if self._is_given(kind, each.kind) else 0 for each in self.members]
        if self.witness.allocate(demand, make) is None and promised:
            raise Broken("admission-sound", f"{what} was refused, and before it there was said to be room for it")
        return tokens

    def _is_given(self, asked: str, kind: str) -> bool:
        return kind == "state" if asked == "state" else kind != "state"

    def _must_be_whole(self, tokens: list[int], ids: list[int]) -> None:
        if tokens != [vid * self.page_tokens + offset for vid in ids for offset in range(self.page_tokens)]:
            raise Broken("agreement", f"tokens {tokens[:20]} are not whole pages in order")

    def _free(self, how: str, places: list[Spot]) -> str:
        chosen = [
            (label, place)
            for label, place in each_once(places)
            if self._may_free(label, place) and self._fits(how, self.pages[label], place)
        ]
        if not chosen:
            return SKIPPED
        ids = [self.pages[label].ids[place] for label, place in chosen]
        windows = [self.pages[label].ids[place] for label, place in chosen if place not in self.pages[label].windowless]
        for label, place in chosen:
            self.pages[label].gone.add(place)
        self.witness.release(self._by_band(full=ids, window=windows), lambda: self._give_back(how, ids))
        return how

    def _give_back(self, how: str, ids: list[int]) -> None:
        tokens = self._tokens(ids)
        if how == "group":
            half = len(ids) // 2 * self.page_tokens
            self.allocator.free_group_begin()
            for part in (tokens[:half], tokens[half:]):
                if part.numel():
                    self.allocator.free(part)
            self.allocator.free_group_end()
        elif how == "segment":
            self.allocator.free_segment(tokens, start_pos=0)
        elif how == "full":
            self.allocator.free_full(tokens)
        else:
            self.allocator.free(tokens)

    def _free_window(self, how: str, places: list[Spot]) -> str:
        chosen = [
            (label, place)
            for label, place in each_once(places)
            if self._may_free(label, place) and place not in self.pages[label].windowless
        ]
        if not chosen or "window" not in self.band:
            return SKIPPED
        ids = [self.pages[label].ids[place] for label, place in chosen]
        for label, place in chosen:
            self.pages[label].windowless.add(place)
        tokens = self._tokens(ids)
        if how == "segment" and not IS_OLD:
            self.witness.release(
                self._by_band(window=ids), lambda: self.allocator.free_swa_segment(tokens, start_pos=0)
            )
        else:
            self.witness.release(self._by_band(window=ids), lambda: self.allocator.free_swa(tokens))
        return how

    def _free_state(self, places: list[Spot]) -> str:
        chosen = [
            (label, place)
            for label, place in each_once(places)
            if is_there(self.states, label, place)
            and not self.witness.users_of((self.band["state"], self.states[label].ids[place]))
        ]
        if not chosen:
            return SKIPPED
        ids = [self.states[label].ids[place] for label, place in chosen]
        for label, place in chosen:
            self.states[label].gone.add(place)
        self.witness.release(self._by_band(state=ids), lambda: self.part["state"].free(torch.tensor(ids)))
        return "done"

    def _clear(self) -> str:
        if self.witness.open:
            return SKIPPED
        seen = {number: list(each.table) for number, each in enumerate(self.witness.seen)}
        self.witness.release(seen, self.allocator.clear)
        self.pages, self.states = {}, {}
        return "done"
