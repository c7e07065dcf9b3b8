"""The Agent Client Protocol (JSON-RPC 2.0 over stdio): the same vendors, spoken to instead of run once."""
