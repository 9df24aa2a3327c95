"""What admission must answer, decided from the judge's state by the definition alone; shares nothing with `impl`."""
