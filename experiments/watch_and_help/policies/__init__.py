"""The learned helpers Hybrid and HRL: policies for predicates and for actions, taught with V-trace."""
