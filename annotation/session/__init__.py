"""A play session: its states and transitions, the setter's prompts, verdicts."""
