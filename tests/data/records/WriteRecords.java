// Writes message sets and batches with Kafka's own classes, as fixtures for tests/records: WriteRecords DIRECTORY.
// Run with Java 17 and the jars of Kafka 3.9.1 on the class path.
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.TimestampType;

public class WriteRecords {
    public static void main(String[] args) throws Exception {
        for (byte magic = 0; magic <= 2; magic++)
            for (CompressionType type : CompressionType.values())
                if (magic == 2 || type != CompressionType.ZSTD)
                    write(Path.of(args[0], "kafka-3.9.1-v" + magic + "-" + type.name + ".bin"), magic, type);
    }

    static void write(Path path, byte magic, CompressionType type) throws Exception {
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1 << 16), magic,
            Compression.of(type).build(), TimestampType.CREATE_TIME, 100L);
        Header[] headers = magic < 2 ? new Header[0]
            : new Header[] {new RecordHeader("h", new byte[] {1, 2}), new RecordHeader("null", null)};
        builder.append(1000L, "key".getBytes(), "value".repeat(100).getBytes(), headers);
        builder.append(999L, (byte[]) null, "no key".getBytes());
        builder.append(1001L, "no value".getBytes(), (byte[]) null);
        MemoryRecords records = builder.build();
        byte[] bytes = new byte[records.sizeInBytes()];
        records.buffer().get(bytes);
        Files.write(path, bytes);
    }
}
