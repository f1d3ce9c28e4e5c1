"""BC+RL on Ray, as an RLlib algorithm."""
