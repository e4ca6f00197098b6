# What stubgen should leave out: it writes a tuple of one name without its comma.
.*\.__match_args__$:

# It forgets where the type comes from.
trestle.render_cluster$:
    \from trestle import _svg as _svg
    def render_cluster(cluster: Cluster, options: svg.ClusterPictureOptions = ...) -> _svg.Svg:
        \doc

# As typeshed writes that there is no hash.
trestle\.(Cluster|NodeLedger|JobState|CatalogMatches|Timeline|TimelineDiff)\.__hash__$:
    \from typing import ClassVar
    __hash__: ClassVar[None]  # type: ignore[assignment]

# Python of its own, with its types.
trestle\.enforce$:
    from trestle import enforce as enforce

# Which it takes for private.
trestle\.__version__$:
    __version__: str
trestle\.DeviceNumbering\.global_$:
    global_ = 1
trestle\.ProcessResource\.as_$:
    as_ = 9

# Names that help() shows: the stub has all of them.
trestle\.__all__$:

# It takes the function of Python for an import.
trestle\.Request\.__str__$:
    def __str__(self) -> str:
        """What it asks, in words."""
