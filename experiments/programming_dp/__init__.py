"""A textbook's chapter on synthetic data, redone on Adult. Start with README.md."""
