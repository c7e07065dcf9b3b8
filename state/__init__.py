"""The records of deliberations and the shelf they lie on."""
