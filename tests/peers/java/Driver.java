import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Kafka's Java clients behind a pipe: one JSON command per line in, one JSON answer per line out. Bytes travel as hex.
 * One process serves many tests, because a JVM takes a second to start. Commands: produce, consume, offsets, create,
 * open, poll, commit, commit_async, committed, seek, pause, resume, close, quit.
 */
public final class Driver {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, KafkaConsumer<byte[], byte[]>> CONSUMERS = new HashMap<>();
    private static final Map<String, ArrayNode> EVENTS = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode command = JSON.readTree(line);
            if (command.get("op").asText().equals("quit")) {
                break;
            }
            ObjectNode answer;
            try {
                answer = run(command);
            } catch (Exception error) {
                Throwable cause = error.getCause() != null ? error.getCause() : error;
                answer = JSON.createObjectNode().put("error", cause.getClass().getSimpleName() + ": " + cause.getMessage());
            }
            out.println(JSON.writeValueAsString(answer));
        }
        System.exit(0);
    }

    private static ObjectNode run(JsonNode command) throws Exception {
        switch (command.get("op").asText()) {
            case "produce": return produce(command);
            case "consume": return consume(command);
            case "offsets": return offsets(command);
            case "create": return create(command);
            case "open": return open(command);
            case "poll": return poll(command);
            case "commit": consumer(command).commitSync(Duration.ofSeconds(20)); return JSON.createObjectNode();
            case "commit_async": consumer(command).commitAsync(); return JSON.createObjectNode();
            case "committed": return committed(command);
            case "seek": consumer(command).seek(partition(command), command.get("offset").asLong()); return JSON.createObjectNode();
            case "pause": consumer(command).pause(consumer(command).assignment()); return JSON.createObjectNode();
            case "resume": consumer(command).resume(consumer(command).assignment()); return JSON.createObjectNode();
            case "close": return close(command);
            default: throw new IllegalArgumentException("no such command");
        }
    }

    private static Properties properties(JsonNode command) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", command.get("bootstrap").asText());
        if (command.has("config")) {
            command.get("config").fields().forEachRemaining(item -> properties.put(item.getKey(), item.getValue().asText()));
        }
        return properties;
    }

    private static ObjectNode produce(JsonNode command) throws Exception {
        ArrayNode results = JSON.createArrayNode();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties(command), new ByteArraySerializer(), new ByteArraySerializer())) {
            List<Future<RecordMetadata>> futures = new ArrayList<>();
            for (JsonNode record : command.get("records")) {
                futures.add(producer.send(toRecord(record)));
            }
            producer.flush();
            for (Future<RecordMetadata> future : futures) {
                RecordMetadata metadata = future.get();
                results.addObject().put("partition", metadata.partition()).put("offset", metadata.offset())
                    .put("timestamp", metadata.timestamp());
            }
        }
        return JSON.createObjectNode().set("results", results);
    }

    private static ProducerRecord<byte[], byte[]> toRecord(JsonNode record) {
        List<Header> headers = new ArrayList<>();
        if (record.has("headers")) {
            record.get("headers").forEach(pair -> headers.add(new RecordHeader(pair.get(0).asText(), unhex(pair.get(1)))));
        }
        Integer partition = record.hasNonNull("partition") ? record.get("partition").asInt() : null;
        Long timestamp = record.hasNonNull("timestamp") ? record.get("timestamp").asLong() : null;
        return new ProducerRecord<>(
            record.get("topic").asText(), partition, timestamp, unhex(record.get("key")), unhex(record.get("value")), headers);
    }

    private static ObjectNode consume(JsonNode command) {
        Properties properties = properties(command);
        properties.putIfAbsent("auto.offset.reset", "earliest");
        properties.putIfAbsent("enable.auto.commit", "false");
        ArrayNode records = JSON.createArrayNode();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> assigned = new ArrayList<>();
            command.get("partitions").forEach(item -> assigned.add(new TopicPartition(item.get(0).asText(), item.get(1).asInt())));
            consumer.assign(assigned);
            for (JsonNode item : command.get("partitions")) {
                consumer.seek(new TopicPartition(item.get(0).asText(), item.get(1).asInt()), item.get(2).asLong());
            }
            collect(consumer, records, command.get("count").asInt(), command.get("timeout_ms").asLong());
        }
        return JSON.createObjectNode().set("records", records);
    }

    private static void collect(KafkaConsumer<byte[], byte[]> consumer, ArrayNode records, int count, long timeoutMs) {
        long deadline = System.currentTimeMillis() + timeoutMs;
        while (records.size() < count && System.currentTimeMillis() < deadline) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                records.add(toJson(record));
            }
        }
    }

    private static ObjectNode toJson(ConsumerRecord<byte[], byte[]> record) {
        ObjectNode node = JSON.createObjectNode().put("topic", record.topic()).put("partition", record.partition())
            .put("offset", record.offset()).put("timestamp", record.timestamp())
            .put("timestamp_type", record.timestampType().toString()).put("key", hex(record.key())).put("value", hex(record.value()));
        ArrayNode headers = node.putArray("headers");
        record.headers().forEach(header -> headers.addArray().add(header.key()).add(hex(header.value())));
        return node;
    }

    private static ObjectNode offsets(JsonNode command) throws Exception {
        TopicPartition partition = partition(command);
        String at = command.get("at").asText();
        OffsetSpec spec = at.equals("earliest") ? OffsetSpec.earliest() : at.equals("latest") ? OffsetSpec.latest()
            : at.equals("max-timestamp") ? OffsetSpec.maxTimestamp() : OffsetSpec.forTimestamp(Long.parseLong(at));
        try (Admin admin = Admin.create(properties(command))) {
            var result = admin.listOffsets(Map.of(partition, spec)).partitionResult(partition).get();
            return JSON.createObjectNode().put("offset", result.offset()).put("timestamp", result.timestamp());
        }
    }

    private static ObjectNode create(JsonNode command) throws Exception {
        try (Admin admin = Admin.create(properties(command))) {
            Map<String, String> configs = new HashMap<>();
            if (command.has("topic_config")) {
                command.get("topic_config").fields().forEachRemaining(item -> configs.put(item.getKey(), item.getValue().asText()));
            }
            NewTopic topic = new NewTopic(command.get("topic").asText(), command.get("partitions").asInt(), (short) 1).configs(configs);
            admin.createTopics(List.of(topic)).all().get();
        }
        return JSON.createObjectNode();
    }

    private static ObjectNode open(JsonNode command) {
        String name = command.get("consumer").asText();
        Properties properties = properties(command);
        KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        ArrayNode events = JSON.createArrayNode();
        ConsumerRebalanceListener listener = new ConsumerRebalanceListener() {
            @Override public void onPartitionsRevoked(Collection<TopicPartition> partitions) { note("revoked", partitions); }
            @Override public void onPartitionsAssigned(Collection<TopicPartition> partitions) { note("assigned", partitions); }
            @Override public void onPartitionsLost(Collection<TopicPartition> partitions) { note("lost", partitions); }
            private void note(String what, Collection<TopicPartition> partitions) {
                ArrayNode list = events.addObject().put("event", what).putArray("partitions");
                partitions.forEach(item -> list.add(item.toString()));
            }
        };
        if (command.has("pattern")) {
            consumer.subscribe(Pattern.compile(command.get("pattern").asText()), listener);
        } else {
            List<String> topics = new ArrayList<>();
            command.get("topics").forEach(item -> topics.add(item.asText()));
            consumer.subscribe(topics, listener);
        }
        CONSUMERS.put(name, consumer);
        EVENTS.put(name, events);
        return JSON.createObjectNode();
    }

    private static ObjectNode poll(JsonNode command) {
        KafkaConsumer<byte[], byte[]> consumer = consumer(command);
        ArrayNode records = JSON.createArrayNode();
        collect(consumer, records, command.get("count").asInt(), command.get("timeout_ms").asLong());
        ObjectNode answer = JSON.createObjectNode();
        answer.set("records", records);
        ArrayNode assignment = answer.putArray("assignment");
        consumer.assignment().forEach(item -> assignment.add(item.toString()));
        answer.set("events", EVENTS.get(command.get("consumer").asText()).deepCopy());
        answer.put("member", consumer.groupMetadata().memberId()).put("generation", consumer.groupMetadata().generationId());
        return answer;
    }

    private static ObjectNode committed(JsonNode command) {
        TopicPartition partition = partition(command);
        OffsetAndMetadata committed = consumer(command).committed(java.util.Set.of(partition)).get(partition);
        return JSON.createObjectNode().put("offset", committed == null ? -1 : committed.offset());
    }

    private static ObjectNode close(JsonNode command) {
        String name = command.get("consumer").asText();
        CONSUMERS.remove(name).close();
        EVENTS.remove(name);
        return JSON.createObjectNode();
    }

    private static KafkaConsumer<byte[], byte[]> consumer(JsonNode command) {
        return CONSUMERS.get(command.get("consumer").asText());
    }

    private static TopicPartition partition(JsonNode command) {
        return new TopicPartition(command.get("topic").asText(), command.get("partition").asInt());
    }

    private static byte[] unhex(JsonNode node) {
        return node == null || node.isNull() ? null : java.util.HexFormat.of().parseHex(node.asText());
    }

    private static String hex(byte[] bytes) {
        return bytes == null ? null : java.util.HexFormat.of().formatHex(bytes);
    }
}
