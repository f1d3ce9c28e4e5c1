"""Arithmetic of the rasteriser, compiled into :mod:`worlds.drawing.rasteriser`."""
