"""Code that is not ours: whether it may run, its time, its errors, and what is left when it ends the process."""
