"""Requests by API. Fetch is told apart as FetchConsumer and FetchFollower, as Kafka does."""

METRICS = """
kafka_network_requestmetrics_requests_total | counter | request,version | | kafka.network:type=RequestMetrics,name=RequestsPerSec,request=R,version=V | Requests answered.
kafka_network_requestmetrics_errors_total | counter | request,error | | kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=R,error=E | Answers by error code, NONE included.
kafka_network_requestmetrics_totaltimems | summary | request | ms | kafka.network:type=RequestMetrics,name=TotalTimeMs,request=R | Milliseconds from a request's last byte in to its answer's last byte out.
kafka_network_requestmetrics_requestqueuetimems | summary | request | ms | kafka.network:type=RequestMetrics,name=RequestQueueTimeMs,request=R | Milliseconds that a request waited to be handled.
kafka_network_requestmetrics_localtimems | summary | request | ms | kafka.network:type=RequestMetrics,name=LocalTimeMs,request=R | Milliseconds that handling a request took on this broker.
kafka_network_requestmetrics_remotetimems | summary | request | ms | kafka.network:type=RequestMetrics,name=RemoteTimeMs,request=R | Milliseconds that a request waited for data, for replicas or for its time to pass.
kafka_network_requestmetrics_responsequeuetimems | summary | request | ms | kafka.network:type=RequestMetrics,name=ResponseQueueTimeMs,request=R | Milliseconds that an answer waited for earlier ones of its connection.
kafka_network_requestmetrics_responsesendtimems | summary | request | ms | kafka.network:type=RequestMetrics,name=ResponseSendTimeMs,request=R | Milliseconds that sending an answer took.
kafka_network_requestmetrics_throttletimems | summary | request | ms | kafka.network:type=RequestMetrics,name=ThrottleTimeMs,request=R | Later: quotas. | Milliseconds that a client was told to wait.
kafka_network_requestmetrics_requestbytes | summary | request | bytes | kafka.network:type=RequestMetrics,name=RequestBytes,request=R | Sizes of requests.
kafka_network_requestmetrics_messageconversionstimems | summary | request | ms | kafka.network:type=RequestMetrics,name=MessageConversionsTimeMs,request=R | Milliseconds that converting old formats or other codecs took (Produce and Fetch).
kafka_network_requestmetrics_temporarymemorybytes | summary | request | bytes | kafka.network:type=RequestMetrics,name=TemporaryMemoryBytes,request=R | Bytes that converting old formats or other codecs made (Produce and Fetch).
"""
