"""The episode viewer's data: an index of episodes, traces of reward models, and sharp pictures."""
