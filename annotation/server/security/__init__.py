"""Permissions: visitors, sign-ins, policies, consent, limits of requests."""
