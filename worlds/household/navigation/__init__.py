"""Ways through a home: its floor in cells, and the distance of every cell from every thing."""
