"""The routes, one module for each subject: each names its policy and the body it takes, and calls a service."""
