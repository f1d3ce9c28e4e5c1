"""Who plays: the agent's trunk and policies, its imitation losses, its tokens."""
