"""Prefill in one process and decode in another: whole pages go from arena to arena, and serving goes on behind them."""
