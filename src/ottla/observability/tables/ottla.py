"""Metrics that Kafka has no MBean for: the event loop, our own bounds, the process itself."""

METRICS = """
ottla_event_loop_lag_seconds | summary |  | seconds | none | How late the event loop's timers fire.
ottla_event_loop_longest_step_seconds | gauge |  | | none | Longest time in the last one to two minutes that the event loop did not look at its sockets.
ottla_event_loop_busy_seconds_total | counter |  | | none | Seconds that the event loop worked.
ottla_event_loop_turns_total | counter |  | | none | Turns of the event loop.
ottla_kernels_compiled | gauge |  | | none | 1 where the record kernels run compiled, 0 where they run interpreted.
ottla_bad_frames_total | counter | reason | | none | Connections closed because of what they sent.
ottla_connections_refused_total | counter | reason | | none | Connections closed because of a limit.
ottla_admission_paused_seconds_total | counter | class | | none | Seconds that reading stood still at the bound of requests in flight.
ottla_handler_failures_total | counter | request | | none | Requests answered UNKNOWN_SERVER_ERROR because of a mistake in our code.
ottla_requests_pipelined_total | counter |  | | none | Produce requests appended before the one in front of them was answered.
ottla_segment_handles_open | gauge |  | | none | Segment files that are open.
ottla_log_directory_total_bytes | gauge | logDirectory | | none | Size of the volume that a log directory is on.
ottla_log_directory_usable_bytes | gauge | logDirectory | | none | Bytes that may still be written there: appends are refused when there are none.
ottla_fetch_cold_reads_total | counter |  | | none | Fetches that had to wait for the disk.
ottla_recovery_bytes_total | counter |  | | none | Bytes of log that were read and checked at start because the last stop was not clean.
ottla_zookeeper_lease_seconds | gauge |  | | none | Seconds for which the session with ZooKeeper still holds by our own clock.
ottla_log_messages_suppressed_total | counter |  | | none | Log lines that were left out because the same ones came too often.
process_cpu_seconds_total | counter |  | | none | Seconds of processor time that this process used.
process_resident_memory_bytes | gauge |  | | none | Memory of this process.
process_open_fds | gauge |  | | none | Open file descriptors of this process.
process_max_fds | gauge |  | | none | Most file descriptors that this process may open.
process_start_time_seconds | gauge |  | | none | When this process started, in seconds since 1970.
"""
