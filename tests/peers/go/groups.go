package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// member is a consumer in a group, what it owns, and the rebalances that it has seen.
type member struct {
	client *kgo.Client
	group  string
	mutex  sync.Mutex
	owned  map[string]map[int32]bool
	events []answer
}

var members = map[string]*member{}

var balancers = map[string]func() kgo.GroupBalancer{
	"range": kgo.RangeBalancer, "roundrobin": kgo.RoundRobinBalancer, "sticky": kgo.StickyBalancer,
	"cooperative-sticky": kgo.CooperativeStickyBalancer,
}

func open(cmd command) (answer, error) {
	m := &member{group: cmd.Config["group.id"], owned: map[string]map[int32]bool{}, events: []answer{}}
	opts := append(options(cmd), kgo.ConsumerGroup(m.group), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(), kgo.OnPartitionsAssigned(m.noter("assigned", true)),
		kgo.OnPartitionsRevoked(m.noter("revoked", false)), kgo.OnPartitionsLost(m.noter("lost", false)))
	if cmd.Pattern != "" {
		opts = append(opts, kgo.ConsumeRegex(), kgo.ConsumeTopics(cmd.Pattern))
	} else {
		opts = append(opts, kgo.ConsumeTopics(cmd.Topics...))
	}
	if make, ok := balancers[cmd.Config["partition.assignment.strategy"]]; ok {
		opts = append(opts, kgo.Balancers(make()))
	}
	if id := cmd.Config["group.instance.id"]; id != "" {
		opts = append(opts, kgo.InstanceID(id))
	}
	if age, err := strconv.Atoi(cmd.Config["metadata.max.age.ms"]); err == nil {
		opts = append(opts, kgo.MetadataMaxAge(time.Duration(age)*time.Millisecond),
			kgo.MetadataMinAge(time.Duration(age)*time.Millisecond))
	}
	if timeout, err := strconv.Atoi(cmd.Config["session.timeout.ms"]); err == nil {
		session := time.Duration(timeout) * time.Millisecond
		opts = append(opts, kgo.SessionTimeout(session), kgo.HeartbeatInterval(session/20))
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, err
	}
	m.client = client
	members[cmd.Consumer] = m
	return answer{}, nil
}

func (m *member) noter(event string, owned bool) func(context.Context, *kgo.Client, map[string][]int32) {
	return func(_ context.Context, _ *kgo.Client, partitions map[string][]int32) {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		for topic, numbers := range partitions {
			if m.owned[topic] == nil {
				m.owned[topic] = map[int32]bool{}
			}
			for _, number := range numbers {
				m.owned[topic][number] = owned
			}
		}
		m.events = append(m.events, answer{"event": event, "partitions": names(partitions)})
	}
}

func names(partitions map[string][]int32) []string {
	list := []string{}
	for topic, numbers := range partitions {
		for _, number := range numbers {
			list = append(list, fmt.Sprintf("%s-%d", topic, number))
		}
	}
	return list
}

func (m *member) assignment() map[string][]int32 {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	list := map[string][]int32{}
	for topic, numbers := range m.owned {
		for number, owned := range numbers {
			if owned {
				list[topic] = append(list[topic], number)
			}
		}
	}
	return list
}

func poll(cmd command) (answer, error) {
	m := members[cmd.Consumer]
	records, err := collect(m.client, cmd)
	if err != nil {
		return nil, err
	}
	assignment := names(m.assignment())
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return answer{"records": records, "assignment": assignment, "events": m.events}, nil
}

func commit(cmd command) (answer, error) {
	return answer{}, members[cmd.Consumer].client.CommitUncommittedOffsets(context.Background())
}

func commitAsync(cmd command) (answer, error) {
	client := members[cmd.Consumer].client
	client.CommitOffsets(context.Background(), client.UncommittedOffsets(), nil)
	return answer{}, nil
}

func committed(cmd command) (answer, error) {
	m := members[cmd.Consumer]
	found, err := kadm.NewClient(m.client).FetchOffsets(context.Background(), m.group)
	if err != nil {
		return nil, err
	}
	if offset, ok := found.Lookup(cmd.Topic, cmd.Partition); ok {
		return answer{"offset": offset.At}, nil
	}
	return answer{"offset": -1}, nil
}

func seek(cmd command) (answer, error) {
	members[cmd.Consumer].client.SetOffsets(map[string]map[int32]kgo.EpochOffset{
		cmd.Topic: {cmd.Partition: {Epoch: -1, Offset: cmd.Offset}},
	})
	return answer{}, nil
}

func pause(cmd command) (answer, error) {
	m := members[cmd.Consumer]
	m.client.PauseFetchPartitions(m.assignment())
	return answer{}, nil
}

func resume(cmd command) (answer, error) {
	m := members[cmd.Consumer]
	m.client.ResumeFetchPartitions(m.assignment())
	return answer{}, nil
}

// closeMember leaves the group; a static member stays in it until its session ends.
func closeMember(cmd command) (answer, error) {
	members[cmd.Consumer].client.Close()
	delete(members, cmd.Consumer)
	return answer{}, nil
}
