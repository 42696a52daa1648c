"""Anything to (fx.GraphModule, records.Graph): captured models and graphs as they are."""
