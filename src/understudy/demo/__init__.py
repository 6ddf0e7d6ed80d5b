"""The demonstration: a simulated confidential table, its schema and a first release of it."""
