"""Kafka's own tools: its names, its options, its output.

Each file holds `main(arguments) -> exit code` of one tool. Called with --bootstrap-server a tool prints the text of
Kafka 3.9's, which is what scripts read; called with --zookeeper, as the manual calls it, it prints the manual's.
"""
