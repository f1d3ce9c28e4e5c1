"""Requests: the language, the tasks that can be asked, their success checks, and the ground truth these read."""
