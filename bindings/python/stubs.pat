# What stubgen should leave out: it writes a tuple of one name without its comma.
.*\.__match_args__$:
