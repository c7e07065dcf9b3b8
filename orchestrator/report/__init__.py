"""The record turned into text for people."""
