"""Requests to every admin API, most of them wrong, whose answers were recorded from Apache Kafka 3.9.1.

`world` makes the same small cluster on any broker, the `*_cases` modules hold the table, `replay` sends it and gives
the answers in a form that can be compared. tests/data/admin-errors/record.py writes down what Kafka answers.
"""
