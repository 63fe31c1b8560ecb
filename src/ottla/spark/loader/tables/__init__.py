"""The tables that a load can go to. Each keeps files and offsets in one commit.

table              what a load needs of a table (`Table`)
opening            `--to parquet:PATH` to a table
location           the directory or URL where a table lies
standing           what stands where a table is to be
parquet_directory  a directory of Parquet files with a manifest
manifest           the manifest: a log of commits that says which files are the table
delta              a Delta Lake table, by the package deltalake
iceberg            an Iceberg table, by the package pyiceberg
scratch            the folders of loads that are not committed yet
"""
