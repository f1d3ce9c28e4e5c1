"""The household: two people in an apartment of some 350 things, who act at the same step (Puig et al., 2021)."""
