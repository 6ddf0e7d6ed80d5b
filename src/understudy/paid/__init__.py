"""Paid judgements of releases: their pMSE, and a choice among them. Both may be published."""
