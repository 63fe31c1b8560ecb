// franz-go behind a pipe: one JSON command per line in, one JSON answer per line out, bytes as hex; the same commands
// as tests/peers/java/Driver.java has for producing, consuming by assignment and looking up offsets.
package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

type record struct {
	Topic     string      `json:"topic"`
	Partition *int32      `json:"partition"`
	Offset    int64       `json:"offset"`
	Timestamp *int64      `json:"timestamp"`
	Key       *string     `json:"key"`
	Value     *string     `json:"value"`
	Headers   [][]*string `json:"headers"`
}

type command struct {
	Op         string            `json:"op"`
	Bootstrap  string            `json:"bootstrap"`
	Config     map[string]string `json:"config"`
	Records    []record          `json:"records"`
	Partitions [][]any           `json:"partitions"`
	Count      int               `json:"count"`
	TimeoutMs  int64             `json:"timeout_ms"`
	Topic      string            `json:"topic"`
	Topics     []string          `json:"topics"`
	Partition  int32             `json:"partition"`
	At         string            `json:"at"`
	Consumer   string            `json:"consumer"`
	Pattern    string            `json:"pattern"`
	Offset     int64             `json:"offset"`
}

type answer map[string]any

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var cmd command
		if err := json.Unmarshal(line, &cmd); err != nil {
			out.Encode(answer{"error": err.Error()})
			continue
		}
		if cmd.Op == "quit" {
			return
		}
		result, err := run(cmd)
		if err != nil {
			result = answer{"error": err.Error()}
		}
		out.Encode(result)
	}
}

func run(cmd command) (answer, error) {
	switch cmd.Op {
	case "produce":
		return produce(cmd)
	case "consume":
		return consume(cmd)
	case "offsets":
		return offsets(cmd)
	case "open":
		return open(cmd)
	case "poll":
		return poll(cmd)
	case "commit":
		return commit(cmd)
	case "commit_async":
		return commitAsync(cmd)
	case "committed":
		return committed(cmd)
	case "seek":
		return seek(cmd)
	case "pause":
		return pause(cmd)
	case "resume":
		return resume(cmd)
	case "close":
		return closeMember(cmd)
	}
	return nil, fmt.Errorf("no such command: %s", cmd.Op)
}

func options(cmd command) []kgo.Opt {
	opts := []kgo.Opt{kgo.SeedBrokers(cmd.Bootstrap), kgo.RecordPartitioner(manualOrSticky{kgo.StickyKeyPartitioner(nil)})}
	codecs := map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	if codec, ok := codecs[cmd.Config["compression.type"]]; ok {
		opts = append(opts, kgo.ProducerBatchCompression(codec))
	}
	// Idempotence, franz-go's default, wants all acknowledgements.
	switch cmd.Config["acks"] {
	case "0":
		opts = append(opts, kgo.RequiredAcks(kgo.NoAck()), kgo.DisableIdempotentWrite())
	case "1":
		opts = append(opts, kgo.RequiredAcks(kgo.LeaderAck()), kgo.DisableIdempotentWrite())
	}
	if cmd.Config["allow.auto.create.topics"] == "true" {
		opts = append(opts, kgo.AllowAutoTopicCreation())
	}
	return opts
}

// manualOrSticky takes the partition that the record names, else franz-go's usual choice.
type manualOrSticky struct{ kgo.Partitioner }

func (p manualOrSticky) ForTopic(topic string) kgo.TopicPartitioner {
	return topicPartitioner{p.Partitioner.ForTopic(topic)}
}

type topicPartitioner struct{ kgo.TopicPartitioner }

func (p topicPartitioner) RequiresConsistency(r *kgo.Record) bool {
	return r.Partition >= 0 || p.TopicPartitioner.RequiresConsistency(r)
}

func (p topicPartitioner) Partition(r *kgo.Record, n int) int {
	if r.Partition >= 0 {
		return int(r.Partition)
	}
	return p.TopicPartitioner.Partition(r, n)
}

func produce(cmd command) (answer, error) {
	client, err := kgo.NewClient(options(cmd)...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var batch []*kgo.Record
	for _, item := range cmd.Records {
		r := &kgo.Record{Topic: item.Topic, Partition: -1, Key: unhex(item.Key), Value: unhex(item.Value)}
		if item.Partition != nil {
			r.Partition = *item.Partition
		}
		if item.Timestamp != nil {
			r.Timestamp = time.UnixMilli(*item.Timestamp)
		}
		for _, pair := range item.Headers {
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: *pair[0], Value: unhex(pair[1])})
		}
		batch = append(batch, r)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	byRecord := map[*kgo.Record]error{}
	for _, result := range client.ProduceSync(ctx, batch...) {
		byRecord[result.Record] = result.Err
	}
	results := []answer{}
	for _, r := range batch {
		if err := byRecord[r]; err != nil {
			return nil, err
		}
		results = append(results, answer{"partition": r.Partition, "offset": r.Offset, "timestamp": r.Timestamp.UnixMilli()})
	}
	return answer{"results": results}, nil
}

func consume(cmd command) (answer, error) {
	assigned := map[string]map[int32]kgo.Offset{}
	for _, item := range cmd.Partitions {
		topic := item[0].(string)
		if assigned[topic] == nil {
			assigned[topic] = map[int32]kgo.Offset{}
		}
		assigned[topic][int32(item[1].(float64))] = kgo.NewOffset().At(int64(item[2].(float64)))
	}
	client, err := kgo.NewClient(append(options(cmd), kgo.ConsumePartitions(assigned))...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	records, err := collect(client, cmd)
	return answer{"records": records}, err
}

func collect(client *kgo.Client, cmd command) ([]answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(cmd.TimeoutMs)*time.Millisecond)
	defer cancel()
	records := []answer{}
	for len(records) < cmd.Count && ctx.Err() == nil {
		fetches := client.PollFetches(ctx)
		for _, problem := range fetches.Errors() {
			if ctx.Err() == nil {
				return nil, problem.Err
			}
		}
		fetches.EachRecord(func(r *kgo.Record) { records = append(records, toJSON(r)) })
	}
	return records, nil
}

func toJSON(r *kgo.Record) answer {
	headers := [][]any{}
	for _, header := range r.Headers {
		headers = append(headers, []any{header.Key, tohex(header.Value)})
	}
	return answer{
		"topic": r.Topic, "partition": r.Partition, "offset": r.Offset, "timestamp": r.Timestamp.UnixMilli(),
		"key": tohex(r.Key), "value": tohex(r.Value), "headers": headers,
	}
}

func offsets(cmd command) (answer, error) {
	client, err := kgo.NewClient(options(cmd)...)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var listed kadm.ListedOffsets
	switch cmd.At {
	case "earliest":
		listed, err = admin.ListStartOffsets(ctx, cmd.Topic)
	case "latest":
		listed, err = admin.ListEndOffsets(ctx, cmd.Topic)
	default:
		var millis int64
		if _, err := fmt.Sscan(cmd.At, &millis); err != nil {
			return nil, err
		}
		listed, err = admin.ListOffsetsAfterMilli(ctx, millis, cmd.Topic)
	}
	if err != nil {
		return nil, err
	}
	found, _ := listed.Lookup(cmd.Topic, cmd.Partition)
	if found.Err != nil {
		return nil, found.Err
	}
	return answer{"offset": found.Offset, "timestamp": found.Timestamp}, nil
}

func unhex(text *string) []byte {
	if text == nil {
		return nil
	}
	data, err := hex.DecodeString(*text)
	if err != nil {
		panic(err)
	}
	return data
}

func tohex(data []byte) any {
	if data == nil {
		return nil
	}
	return hex.EncodeToString(data)
}
