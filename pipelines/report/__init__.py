"""Reports: what runs wrote, gathered, drawn and written as one HTML file."""
