"""The routes, one module a journey: each names its policy, what it wants, and calls what does it."""
