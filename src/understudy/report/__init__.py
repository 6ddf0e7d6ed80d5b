"""Pages a reader can trust: the card of a release, in JSON, in plain text and as one HTML file."""
