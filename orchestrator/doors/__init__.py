"""The ways in: each translates input into a request and happenings into output, and knows no rule of debate."""
