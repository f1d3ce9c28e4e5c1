"""Learning: cloning, V-trace, the learner of BC+RL, its guards, and the executor of one machine."""
