"""Arithmetic of the rasteriser, compiled into :mod:`worlds.playhouse.drawing.rasteriser`."""
