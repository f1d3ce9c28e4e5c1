"""The help stage: Alice pursues her goal in a home she was not seen in, and Bob helps her."""
