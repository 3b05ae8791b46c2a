package main

import (
	"context"
	"errors"

	"example.com/confirmed"
	"github.com/redis/go-redis/v9"
)

// example runs the client of examples/go. Both variants are the same.
type example struct {
	task   *Task
	client *confirmed.Client
}

func (l *example) Connect(_ context.Context, task *Task) error {
	config, err := task.tlsConfig()
	if err != nil {
		return err
	}
	l.task = task
	l.client, err = confirmed.Connect(confirmed.Options{
		Sentinels:       task.sentinelAddresses(),
		Name:            task.MasterName,
		NodeOptions:     redis.Options{Username: task.Username, Password: task.Password, TLSConfig: config},
		SentinelOptions: redis.Options{Username: task.SentinelUsername, Password: task.SentinelPassword, TLSConfig: config},
	})
	return err
}

func (l *example) SendsWaitTo() string { return "same-connection" }

func (l *example) Write(key, value string, _ func()) Answer {
	replicas := 0
	if l.task.Wait != nil {
		replicas = l.task.Wait.Replicas
	}
	answer := l.client.Write(replicas, waitTimeout(l.task), l.task.Command, key, value)
	return Answer{Write: answer.Err, Count: answer.Replicas}
}

func (l *example) Reply(err error) (string, bool) {
	var reply redis.Error
	if errors.As(err, &reply) {
		return reply.Error(), true
	}
	return "", false
}

func (l *example) KnowsNoPrimary(err error) bool { return errors.Is(err, confirmed.ErrNotConnected) }
