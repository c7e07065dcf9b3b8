"""What is asked for: the command line, the settings and the topic, read and checked."""
