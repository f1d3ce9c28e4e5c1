"""Who may do what: visitors, sign-in sessions, policies, consent, rate limits."""
