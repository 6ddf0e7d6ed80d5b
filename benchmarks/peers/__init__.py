"""Programs that run another library in an environment of its own, on measurements of ours."""
