"""PPO through RLlib: an agent of this project as its module, environments of a solver as its environments."""
