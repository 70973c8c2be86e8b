// The dashboard is not built.
