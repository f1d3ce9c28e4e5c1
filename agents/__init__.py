"""The agent: networks and policies, losses of imitation, tokens, acting, and its folder."""
