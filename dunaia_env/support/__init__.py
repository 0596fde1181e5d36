"""What any program needs, whatever it plays: files, messages, and a cache of compiled code."""
