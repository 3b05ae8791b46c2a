package main

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/rueidis"
)

// rueidisLibrary: defaults sends SET and WAIT through the connections that all callers share. best takes a dedicated
// connection for both, asks the Sentinels every 5 s, as the documentation recommends, and leaves a silent primary sooner.
type rueidisLibrary struct {
	task   *Task
	client rueidis.Client
}

func (l *rueidisLibrary) Connect(ctx context.Context, task *Task) error {
	config, err := task.tlsConfig()
	if err != nil {
		return err
	}
	options := rueidis.ClientOption{
		InitAddress: task.sentinelAddresses(),
		Username:    task.Username,
		Password:    task.Password,
		TLSConfig:   config,
		Sentinel: rueidis.SentinelOption{
			MasterSet: task.MasterName,
			Username:  task.SentinelUsername,
			Password:  task.SentinelPassword,
			TLSConfig: config,
		},
	}
	if task.best() {
		options.DisableRetry = true
		options.ConnWriteTimeout = time.Second + waitTimeout(task)
		options.Dialer = net.Dialer{Timeout: time.Second, KeepAlive: time.Second}
		options.Sentinel.TopologyRefreshInterval = 5 * time.Second
	}
	l.task = task
	if l.client, err = rueidis.NewClient(options); err != nil {
		return err
	}
	return l.client.Do(ctx, l.client.B().Ping().Build()).Error()
}

func (l *rueidisLibrary) SendsWaitTo() string { return sameConnectionIf(l.task.best()) }

func (l *rueidisLibrary) Write(key, value string, written func()) Answer {
	ctx, wait := context.Background(), l.task.Wait
	write := l.client.B().Set().Key(key).Value(value).Build()
	if l.task.Command == "APPEND" {
		write = l.client.B().Append().Key(key).Value(value).Build()
	}
	if wait == nil {
		return Answer{Write: l.client.Do(ctx, write).Error()}
	}
	count := l.client.B().Wait().Numreplicas(int64(wait.Replicas)).Timeout(int64(wait.TimeoutMs)).Build()
	var answer Answer
	if l.task.best() {
		answer.Write = l.client.Dedicated(func(connection rueidis.DedicatedClient) error {
			answers := connection.DoMulti(ctx, write, count)
			answer.Count, answer.Wait = answers[1].AsInt64()
			return answers[0].Error()
		})
		return answer
	}
	if answer.Write = l.client.Do(ctx, write).Error(); answer.Write == nil {
		written()
		answer.Count, answer.Wait = l.client.Do(ctx, count).AsInt64()
	}
	return answer
}

func (l *rueidisLibrary) Reply(err error) (string, bool) {
	if reply, isReply := rueidis.IsRedisErr(err); isReply {
		return reply.Error(), true
	}
	return "", false
}

func (l *rueidisLibrary) KnowsNoPrimary(err error) bool { return errors.Is(err, rueidis.ErrNoAddr) }
