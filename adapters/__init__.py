"""The vendors: what each CLI is told and how its answer is read, and the one room that starts processes."""
