"""Pictures: the players' camera, the rasteriser behind it, and views of any size for people."""
