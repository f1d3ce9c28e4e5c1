"""Which things touch each other."""

from __future__ import annotations

from worlds.playhouse.physics.kernels.compiling import kernel


@kernel
def note_contacts(contacts):
    """Note which things touch each other after a physics step.

    Args:
      contacts: views into data: number of contacts int32 [1], pairs of geoms int32 [most, words of a contact]; owner of
        every geom int32 [geoms], negative for nobody; pairs that have touched uint8 [owners, owners].
    """
    count, pairs, owner, touched = contacts
    for i in range(count[0]):
        a, b = owner[pairs[i, 0]], owner[pairs[i, 1]]
        if a >= 0 and b >= 0:
            touched[a, b] = 1
