"""Other libraries' names for what marsdask does: a program that was written for one of them changes its imports."""
