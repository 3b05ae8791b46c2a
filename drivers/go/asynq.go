package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

const sideBySide = 20

// asynqQueue: a client, and one server with as many workers as the task wants. A server is a process in practice.
type asynqQueue struct {
	task      *WorkloadTask
	history   *History
	client    *asynq.Client
	inspector *asynq.Inspector
	next      atomic.Int64
}

// MakeRedisClient is what asynq.RedisFailoverClientOpt does, with a local address.
func (task *WorkloadTask) MakeRedisClient() any {
	return redis.NewFailoverClient(task.failover())
}

func openAsynq(task *WorkloadTask, history *History) (Roles, error) {
	queue := &asynqQueue{task: task, history: history, client: asynq.NewClient(task), inspector: asynq.NewInspector(task)}
	return queue, queue.client.Ping()
}

func (queue *asynqQueue) add(process string) {
	value := fmt.Sprintf("%s-%d", queue.task.Name, queue.next.Add(1))
	one := line{"process": process, "role": "producer", "op": "add", "value": value}
	number := queue.history.begin(one)
	info, err := queue.client.Enqueue(asynq.NewTask("work", []byte(value)), asynq.Queue(queue.name()))
	if err == nil {
		one["libraryId"] = info.ID
	}
	queue.history.end(number, "ok", err)
}

func (queue *asynqQueue) name() string {
	return strings.ReplaceAll(queue.task.KeyPrefix, ":", "-") + "jobs"
}

func (queue *asynqQueue) Prepare() {
	var all sync.WaitGroup
	for range sideBySide {
		all.Go(func() {
			for int(queue.next.Load()) < queue.task.Backlog {
				queue.add(queue.task.Name + ".producer-1")
			}
		})
	}
	all.Wait()
}

func (queue *asynqQueue) Start() {
	server := asynq.NewServer(queue.task, asynq.Config{
		Concurrency: queue.task.Roles["worker"], Queues: map[string]int{queue.name(): 1}, LogLevel: asynq.FatalLevel,
	})
	// Asynq does not say whether the acknowledgement arrived.
	run := func(_ context.Context, job *asynq.Task) error {
		number := queue.history.begin(line{"process": queue.task.Name + ".worker-1", "role": "worker", "op": "run", "value": string(job.Payload())})
		time.Sleep(queue.task.work())
		queue.history.end(number, "ok", nil)
		return nil
	}
	if err := server.Start(asynq.HandlerFunc(run)); err != nil {
		queue.history.print(line{"process": queue.task.Name + ".worker-1", "op": "exited", "value": err.Error()})
	}
	producers := queue.task.Roles["producer"]
	period := time.Duration(float64(producers) / queue.task.Rate * float64(time.Second))
	for number := range producers {
		go func() {
			for due := time.Now().Add(rand.N(period)); queue.history.pause(time.Until(due)); {
				queue.add(fmt.Sprintf("%s.producer-%d", queue.task.Name, number+1))
				due = due.Add(period)
				if due.Before(time.Now()) {
					due = time.Now()
				}
			}
		}()
	}
}

func (queue *asynqQueue) Drain(until time.Time) {
	held, err := queue.held()
	for (err != nil || len(held) > 0) && time.Now().Before(until) {
		time.Sleep(lookEvery)
		held, err = queue.held()
	}
	for _, value := range held {
		queue.history.print(line{"process": queue.task.Name, "op": "stuck", "value": value})
	}
}

// held returns the jobs that wait, run, or wait to be tried again.
func (queue *asynqQueue) held() (values []string, err error) {
	lists := []func(string, ...asynq.ListOption) ([]*asynq.TaskInfo, error){
		queue.inspector.ListPendingTasks, queue.inspector.ListActiveTasks, queue.inspector.ListRetryTasks, queue.inspector.ListArchivedTasks,
	}
	for _, list := range lists {
		jobs, failed := list(queue.name(), asynq.PageSize(10_000))
		if failed != nil && !errors.Is(failed, asynq.ErrQueueNotFound) {
			return nil, failed
		}
		for _, job := range jobs {
			values = append(values, string(job.Payload))
		}
	}
	return values, nil
}
