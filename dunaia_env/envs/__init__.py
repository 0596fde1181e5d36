"""Environment shells: they speak the interfaces of other libraries and know no rule."""
