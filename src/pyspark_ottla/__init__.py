"""What Spark looks for when it meets `format("ottla")`: a package named pyspark_<format> with a DefaultSource."""

from ottla.spark.data_source import OttlaDataSource

DefaultSource = OttlaDataSource

__all__ = ["DefaultSource"]
