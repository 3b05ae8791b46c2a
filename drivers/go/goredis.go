package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// goRedis: defaults sends SET and WAIT as two commands, each on some connection of the pool, and repeats a failed command up
// to three times. best sends both in one pipeline, which has one connection, and repeats nothing.
type goRedis struct {
	task   *Task
	client *redis.Client
}

func (l *goRedis) Connect(ctx context.Context, task *Task) error {
	config, err := task.tlsConfig()
	if err != nil {
		return err
	}
	options := &redis.FailoverOptions{
		MasterName:       task.MasterName,
		SentinelAddrs:    task.sentinelAddresses(),
		Username:         task.Username,
		Password:         task.Password,
		SentinelUsername: task.SentinelUsername,
		SentinelPassword: task.SentinelPassword,
		TLSConfig:        config,
	}
	if task.best() {
		options.MaxRetries = -1
		options.DialTimeout = time.Second
		options.ReadTimeout = time.Second + waitTimeout(task)
	}
	l.task, l.client = task, redis.NewFailoverClient(options)
	return l.client.Ping(ctx).Err()
}

func (l *goRedis) SendsWaitTo() string { return sameConnectionIf(l.task.best()) }

func (l *goRedis) Write(key, value string, written func()) Answer {
	ctx, wait := context.Background(), l.task.Wait
	if l.task.best() && wait != nil {
		pipeline := l.client.Pipeline()
		write := pipeline.Do(ctx, l.task.Command, key, value)
		wait := pipeline.Do(ctx, "WAIT", wait.Replicas, wait.TimeoutMs)
		_, _ = pipeline.Exec(ctx) // Each command has its own error.
		count, err := wait.Int64()
		return Answer{write.Err(), count, err}
	}
	var err error
	if l.task.Command == "SET" {
		err = l.client.Set(ctx, key, value, 0).Err()
	} else {
		err = l.client.Append(ctx, key, value).Err()
	}
	if err != nil || wait == nil {
		return Answer{Write: err}
	}
	written()
	count, err := l.client.Wait(ctx, wait.Replicas, waitTimeout(l.task)).Result()
	return Answer{Count: count, Wait: err}
}

func (l *goRedis) Reply(err error) (string, bool) {
	var reply redis.Error
	if errors.As(err, &reply) {
		return reply.Error(), true
	}
	return "", false
}

func (l *goRedis) KnowsNoPrimary(err error) bool {
	return strings.Contains(err.Error(), "all sentinels specified in configuration are unreachable")
}

func waitTimeout(task *Task) time.Duration {
	if task.Wait == nil {
		return 0
	}
	return time.Duration(task.Wait.TimeoutMs) * time.Millisecond
}

func sameConnectionIf(same bool) string {
	if same {
		return "same-connection"
	}
	return "other-connection"
}
