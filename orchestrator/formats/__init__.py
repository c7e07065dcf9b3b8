"""The rule books: each format says, from the record alone, what comes next."""
