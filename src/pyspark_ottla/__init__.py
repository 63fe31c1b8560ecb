"""What Spark looks for when it meets `format("ottla")`: a package named pyspark_<format> with a DefaultSource.

    import pyspark_ottla  # before the first session

A job imports it itself where Spark would start another Python than the job's: `ottla.spark.interpreter`.
"""

from ottla.spark.data_source import OttlaDataSource
from ottla.spark.interpreter import use_this_python

DefaultSource = OttlaDataSource

__all__ = ["DefaultSource"]

use_this_python()
