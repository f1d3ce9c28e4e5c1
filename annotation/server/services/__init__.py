"""The work of the server, called by the routes, one module for each subject."""
