"""Tests; a package, because one of the peers installs another that is called so."""
