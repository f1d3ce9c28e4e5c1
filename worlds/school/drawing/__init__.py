"""Pictures of a room."""
