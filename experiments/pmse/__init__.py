"""The pMSE mechanism's paper, redone: its tables, its figures, and the mechanism with a proof."""
