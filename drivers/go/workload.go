package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

const lookEvery = 500 * time.Millisecond

// WorkloadTask is what the harness asks for. docs/drivers.md describes the fields.
type WorkloadTask struct {
	Protocol, Workload, Variant, Name, MasterName, KeyPrefix string
	LocalAddress                                             string
	Sentinels                                                []Address
	Roles                                                    map[string]int
	Keys, Backlog                                            int
	Rate                                                     float64
	WorkMs                                                   [2]int
	LeaseMs                                                  int
	Wait                                                     *Wait
}

// Workload is a library in one workload: its roles prepare, start, and drain.
type Workload struct {
	title, module, workload string
	visibilityMs            any
	open                    func(task *WorkloadTask, history *History) (Roles, error)
}

type Roles interface {
	Prepare()
	Start()
	Drain(until time.Time) // reports what is stuck
}

type line = map[string]any

// History reports each operation when it has ended.
type History struct {
	sync.Mutex
	name    string
	open    map[int]line
	next    int
	stopped context.Context
}

func (history *History) print(one line) {
	text, _ := json.Marshal(one)
	os.Stdout.Write(append(text, '\n'))
}

// begin returns the number of an operation, which end reports.
func (history *History) begin(one line) int {
	history.Lock()
	defer history.Unlock()
	one["begin"], one["end"], one["outcome"] = now()/1000, nil, "unknown"
	history.next++
	history.open[history.next] = one
	return history.next
}

func (history *History) end(number int, outcome string, err error) line {
	history.Lock()
	defer history.Unlock()
	one := history.open[number]
	delete(history.open, number)
	if err != nil {
		one["error"] = fmt.Sprintf("%.200s", err.Error())
		outcome = "unknown"
		if word, _, _ := strings.Cut(err.Error(), " "); nothingWritten[word] {
			outcome = "refused"
		}
	}
	if one["end"] == nil {
		one["end"] = now() / 1000
	}
	one["outcome"] = outcome
	history.print(one)
	return one
}

// pause ends early when no new work is wanted. It returns whether it is.
func (history *History) pause(duration time.Duration) bool {
	select {
	case <-history.stopped.Done():
		return false
	case <-time.After(duration):
		return true
	}
}

func runWorkload(library Workload) {
	input := bufio.NewScanner(os.Stdin)
	input.Scan()
	task := &WorkloadTask{}
	if err := json.Unmarshal(input.Bytes(), task); err != nil {
		fail(2, "The task is not JSON of the protocol: %v.", err)
	}
	if task.Protocol != "sentinel-bench/workload@1" {
		fail(2, "The task is of another protocol than sentinel-bench/workload@1.")
	}
	if task.Variant != "defaults" && task.Variant != "best" {
		fail(2, "The variants are defaults and best.")
	}
	if task.Workload != library.workload {
		fail(3, "The library has the workload %s only.", library.workload)
	}
	stopped, stop := context.WithCancel(context.Background())
	history := &History{name: task.Name, open: map[int]line{}, stopped: stopped}
	go func() {
		for ; ; time.Sleep(time.Second) {
			history.print(line{"process": task.Name, "op": "alive"})
		}
	}()
	late := time.AfterFunc(connectWithin, func() { fail(4, "The primary of %s did not answer within %v.", task.MasterName, connectWithin) })
	roles, err := library.open(task, history)
	for ; err != nil; roles, err = library.open(task, history) {
		time.Sleep(200 * time.Millisecond)
	}
	late.Stop()
	roles.Prepare()
	language := strings.Replace(runtime.Version(), "go", "Go ", 1)
	history.print(line{"op": "ready", "library": library.title, "version": versionOf(library.module), "language": language, "visibilityMs": library.visibilityMs})
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		<-terminated
		history.close()
	}()
	for input.Scan() && input.Text() != "end" {
		var milliseconds int64
		switch word, rest, _ := strings.Cut(input.Text(), " "); word {
		case "start":
			roles.Start()
		case "stop":
			stop()
		case "drain":
			fmt.Sscan(rest, &milliseconds)
			roles.Drain(time.Now().Add(time.Duration(milliseconds) * time.Millisecond))
			history.print(line{"process": task.Name, "op": "drained"})
		}
	}
	history.close()
}

func (history *History) close() {
	history.Lock()
	for _, each := range history.open {
		history.print(each)
	}
	os.Exit(0) // Without closing the library, which may hang.
}

func (task *WorkloadTask) work() time.Duration {
	return time.Duration(task.WorkMs[0]+rand.IntN(task.WorkMs[1]-task.WorkMs[0]+1)) * time.Millisecond
}

// failover makes the options of go-redis.
func (task *WorkloadTask) failover() *redis.FailoverOptions {
	options := &redis.FailoverOptions{MasterName: task.MasterName}
	for _, each := range task.Sentinels {
		options.SentinelAddrs = append(options.SentinelAddrs, net.JoinHostPort(each.Host, fmt.Sprint(each.Port)))
	}
	if task.LocalAddress != "" {
		dialer := &net.Dialer{Timeout: 5 * time.Second, LocalAddr: &net.TCPAddr{IP: net.ParseIP(task.LocalAddress)}}
		options.Dialer = dialer.DialContext
	}
	if task.Variant == "best" {
		options.MaxRetries, options.DialTimeout, options.ReadTimeout = -1, time.Second, 2*time.Second
	}
	return options
}
