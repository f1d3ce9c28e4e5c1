"""Pictures of a home: as a person sees it, and from above."""
