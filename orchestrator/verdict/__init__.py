"""From speeches to a verdict: what judges are given, what they answer, and what it comes to."""
