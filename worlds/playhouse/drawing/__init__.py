"""Pictures of the Playhouse: the players' camera, and views of any size for people."""
