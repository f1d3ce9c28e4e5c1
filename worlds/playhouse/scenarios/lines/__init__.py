"""The lines of the paper's appendix B, by subject."""
