"""Papers and chapters redone: one folder each, with their claims and a program that checks them."""
