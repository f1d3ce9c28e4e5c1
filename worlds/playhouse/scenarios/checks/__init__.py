"""Success checks of what scenarios ask for beyond the language games."""
