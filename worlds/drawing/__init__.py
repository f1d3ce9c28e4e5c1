"""Pictures of scenes of simple shapes: the rasteriser, and what every camera shares."""
