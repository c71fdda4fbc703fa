"""Ridgeline's figures, worked out again from docs/theory and the facts of catalog/ alone. No line here was written from the C++."""
