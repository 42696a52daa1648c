"""What leaves the explorer: pictures, graphs, tables and traces, from records alone."""
