"""What the routes call: the work of the server, one module a subject."""
