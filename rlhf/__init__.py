"""The machinery: episodes and their store, setter replay, V-trace, runner, learner, executors, command line."""
