"""Valid conclusions from a release: estimates that know about the noise that was added."""
