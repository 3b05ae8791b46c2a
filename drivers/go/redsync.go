package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

// redsyncHolders: each holder has a client of its own, as in programs on several machines.
type redsyncHolders struct {
	task    *WorkloadTask
	history *History
	clients []*redis.Client
	all     sync.WaitGroup
}

func openRedsync(task *WorkloadTask, history *History) (Roles, error) {
	holders := &redsyncHolders{task: task, history: history}
	for range task.Roles["holder"] {
		client := redis.NewFailoverClient(task.failover())
		if err := client.Ping(context.Background()).Err(); err != nil {
			return nil, err
		}
		holders.clients = append(holders.clients, client)
	}
	return holders, nil
}

func (holders *redsyncHolders) Prepare() {}

func (holders *redsyncHolders) Start() {
	for number, client := range holders.clients {
		process := fmt.Sprintf("%s.holder-%d", holders.task.Name, number+1)
		holders.all.Go(func() {
			for holders.history.stopped.Err() == nil {
				holders.holdOnce(process, redsync.New(goredis.NewPool(client)))
			}
		})
	}
}

func (holders *redsyncHolders) Drain(until time.Time) {
	ended := make(chan struct{})
	go func() {
		holders.all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Until(until)):
	}
}

// holdOnce takes a lock, renews it at each third of its lease, and releases it.
func (holders *redsyncHolders) holdOnce(process string, sync *redsync.Redsync) {
	task, history := holders.task, holders.history
	lease := time.Duration(task.LeaseMs) * time.Millisecond
	key := fmt.Sprintf("%slock:%d", task.KeyPrefix, rand.IntN(task.Keys))
	mutex := sync.NewMutex(key, redsync.WithExpiry(lease), redsync.WithTries(1))
	record := func(op string, call func() (bool, error)) line {
		one := line{"process": process, "role": "holder", "op": op, "key": key}
		number := history.begin(one)
		ok, err := call()
		if mutex.Value() != "" {
			one["value"] = mutex.Value()
		}
		if ok && op != "release" {
			// The end of the lease as the library counts it.
			one["leaseMs"] = now()/1_000_000 - one["begin"].(int64)/1000 + time.Until(mutex.Until()).Milliseconds()
		}
		var taken *redsync.ErrTaken
		if !ok && (err == nil || errors.As(err, &taken) || errors.Is(err, redsync.ErrExtendFailed) || errors.Is(err, redsync.ErrLockAlreadyExpired)) {
			return history.end(number, "no", nil)
		}
		return history.end(number, "ok", err)
	}
	if record("acquire", func() (bool, error) { err := mutex.Lock(); return err == nil, err })["outcome"] != "ok" {
		history.pause(10*time.Millisecond + rand.N(90*time.Millisecond))
		return
	}
	until := time.Now().Add(task.work())
	for history.pause(min(time.Until(until), lease/3)) && time.Now().Before(until) && time.Now().Before(mutex.Until()) {
		if record("renew", mutex.Extend)["outcome"] == "no" {
			at := now() / 1000
			history.print(line{"process": process, "role": "holder", "op": "lost", "key": key, "value": mutex.Value(), "begin": at, "end": at, "outcome": "ok"})
			return
		}
	}
	record("release", mutex.Unlock)
}
