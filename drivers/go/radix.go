package main

import (
	"context"
	"crypto/tls"
	"errors"
	"strconv"
	"time"

	"github.com/mediocregopher/radix/v4"
	"github.com/mediocregopher/radix/v4/resp/resp3"
)

// radixLibrary: defaults sends SET and WAIT as two commands, each on some connection of the pool. best takes one connection
// for both, and gives each write a deadline.
type radixLibrary struct {
	task   *Task
	client *radix.Sentinel
}

func (l *radixLibrary) Connect(ctx context.Context, task *Task) error {
	config, err := task.tlsConfig()
	if err != nil {
		return err
	}
	nodes := radix.Dialer{AuthUser: task.Username, AuthPass: task.Password}
	sentinels := radix.Dialer{AuthUser: task.SentinelUsername, AuthPass: task.SentinelPassword}
	if config != nil {
		nodes.NetDialer = &tls.Dialer{Config: config}
		sentinels.NetDialer = &tls.Dialer{Config: config}
	}
	options := radix.SentinelConfig{PoolConfig: radix.PoolConfig{Dialer: nodes}, SentinelDialer: sentinels}
	if task.best() {
		options.PoolConfig.Size = task.Concurrency
		options.PoolConfig.MaxReconnectInterval = 500 * time.Millisecond
	}
	l.task = task
	if l.client, err = options.New(ctx, task.MasterName, task.sentinelAddresses()); err != nil {
		return err
	}
	return l.client.Do(ctx, radix.Cmd(nil, "PING"))
}

func (l *radixLibrary) SendsWaitTo() string { return sameConnectionIf(l.task.best()) }

func (l *radixLibrary) Write(key, value string, written func()) Answer {
	ctx, wait := context.Background(), l.task.Wait
	write := radix.Cmd(nil, l.task.Command, key, value)
	if l.task.best() {
		deadline, cancel := context.WithTimeout(ctx, time.Second+waitTimeout(l.task))
		defer cancel()
		ctx = deadline
	}
	if wait == nil {
		return Answer{Write: l.client.Do(ctx, write)}
	}
	var answer Answer
	count := radix.Cmd(&answer.Count, "WAIT", strconv.Itoa(wait.Replicas), strconv.Itoa(wait.TimeoutMs))
	if l.task.best() {
		answer.Write = l.client.Do(ctx, radix.WithConn(key, func(ctx context.Context, connection radix.Conn) error {
			if err := connection.Do(ctx, write); err != nil {
				return err
			}
			written()
			answer.Wait = connection.Do(ctx, count)
			return nil
		}))
		return answer
	}
	if answer.Write = l.client.Do(ctx, write); answer.Write == nil {
		written()
		answer.Wait = l.client.Do(ctx, count)
	}
	return answer
}

func (l *radixLibrary) Reply(err error) (string, bool) {
	var reply resp3.SimpleError
	if errors.As(err, &reply) {
		return reply.Error(), true
	}
	return "", false
}

func (l *radixLibrary) KnowsNoPrimary(error) bool { return false }
