"""Other people's allocators: driven in processes of their own, judged in ours."""
