"""Programs that run: python3 -m hapticd.examples.NAME --help. They need haptic, haptic-bake and hapticd."""
