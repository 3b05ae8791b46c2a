// A driver of sentinel-bench for three libraries of Go. docs/drivers.md describes the protocol.
//
//	drivers go-redis | rueidis | radix | example | asynq | redsync
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const connectWithin = 15 * time.Second

var libraries = map[string]struct {
	title, module string
	library       Library
}{
	"go-redis": {"go-redis", "github.com/redis/go-redis/v9", &goRedis{}},
	"rueidis":  {"rueidis", "github.com/redis/rueidis", &rueidisLibrary{}},
	"radix":    {"radix", "github.com/mediocregopher/radix/v4", &radixLibrary{}},
	"example":  {"examples/go", "github.com/redis/go-redis/v9", &example{}},
}

func fail(status int, format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(status)
}

// Libraries for locks and jobs.
var workloads = map[string]Workload{
	// A job whose worker is gone comes back after the lease of 30 s, at the next look, once a minute.
	"asynq":   {"Asynq", "github.com/hibiken/asynq", "queue", 90_000, openAsynq},
	"redsync": {"Redsync", "github.com/go-redsync/redsync/v4", "lock", nil, openRedsync},
}

func main() {
	if len(os.Args) == 2 && workloads[os.Args[1]].open != nil {
		runWorkload(workloads[os.Args[1]])
	}
	if len(os.Args) != 2 || libraries[os.Args[1]].library == nil {
		fail(2, "Name one library: go-redis, rueidis, radix or example.")
	}
	chosen := libraries[os.Args[1]]
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	line, _ := input.ReadBytes('\n')
	task, err := parseTask(line)
	if err != nil {
		fail(2, "The task is invalid: %v.", err)
	}
	starts, stopped := readCommands(input)
	connect(chosen.library, task)
	output := newOutput()
	ready, _ := json.Marshal(map[string]any{
		"library": chosen.title, "version": versionOf(chosen.module), "language": strings.Replace(runtime.Version(), "go", "Go ", 1),
		"wait": chosen.library.SendsWaitTo(), "pipeline": true,
	})
	output.line("ready %s", ready)

	due := int64(0)
	select {
	case start := <-starts:
		due = writeAll(chosen.library, task, output, start, stopped)
	case <-stopped:
	}
	output.line("done %d", due)
	output.close()
	os.Exit(0) // Without closing the library, which may hang.
}

// connect ends the process if the primary does not answer.
func connect(library Library, task *Task) {
	ctx, cancel := context.WithTimeout(context.Background(), connectWithin)
	defer cancel()
	connected := make(chan struct{})
	var last atomic.Value
	go func() {
		for ; ; time.Sleep(200 * time.Millisecond) {
			err := library.Connect(ctx, task)
			if err == nil {
				close(connected)
				return
			}
			last.Store(err.Error())
		}
	}()
	select {
	case <-connected:
	case <-ctx.Done():
		reason := "no answer yet"
		if text, isText := last.Load().(string); isText {
			reason = text
		}
		for _, secret := range []string{task.Password, task.SentinelPassword} {
			if secret != "" {
				reason = strings.ReplaceAll(reason, secret, "***")
			}
		}
		fail(4, "The primary of %s did not answer within %v: %s.", task.MasterName, connectWithin, reason)
	}
}

func versionOf(module string) string {
	build, _ := debug.ReadBuildInfo()
	for _, dependency := range build.Deps {
		if dependency.Path == module {
			return strings.TrimPrefix(dependency.Version, "v")
		}
	}
	return "unknown"
}

// readCommands: stop, the end of the input and SIGTERM close stopped.
func readCommands(input *bufio.Reader) (starts chan int64, stopped chan struct{}) {
	starts, stopped = make(chan int64, 1), make(chan struct{})
	var isStopped atomic.Bool
	stop := func() {
		if isStopped.CompareAndSwap(false, true) {
			close(stopped)
		}
	}
	go func() {
		defer stop()
		for {
			line, err := input.ReadString('\n')
			var start int64
			if n, _ := fmt.Sscanf(line, "start %d", &start); n == 1 && len(starts) == 0 {
				starts <- start
			}
			if err != nil || strings.TrimSpace(line) == "stop" {
				return
			}
		}
	}()
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	go func() {
		<-terminated
		stop()
	}()
	return starts, stopped
}

// writeAll keeps the schedule: write i is due i/rate seconds after the start. It returns how many became due.
func writeAll(library Library, task *Task, output *Output, start int64, stopped chan struct{}) int64 {
	ledger := &Ledger{output: output, start: start, open: map[int64]*openWrite{}}
	giveUp := int64(task.GiveUpMs) * int64(time.Millisecond)
	var end atomic.Int64 // of the time in which writes become due
	end.Store(math.MaxInt64)
	drained := make(chan struct{})
	go func() {
		<-stopped
		end.Store(now())
		time.Sleep(time.Duration(task.DrainMs) * time.Millisecond)
		close(drained)
	}()

	slots := make(chan struct{}, task.Concurrency)
	number := int64(0)
	for ; ; number++ {
		due := start + int64(float64(number)*1e9/task.Rate)
		for isStopped := false; due > now() && !isStopped; {
			select {
			case <-stopped:
				isStopped = true
			case <-time.After(time.Duration(due - now())):
			}
		}
		if due > now() || due > end.Load() {
			break
		}
		if !takeSlot(slots, due+giveUp, drained) {
			ledger.unsent(number)
			continue
		}
		written := ledger.send(number) // Before the goroutine runs, because the drain may end first.
		go func(number int64) {
			key, value := task.keyAndValue(number)
			outcome, count, kind := judge(library, library.Write(key, value, written), task.Wait)
			ledger.answer(number, outcome, count, kind)
			<-slots
		}(number)
	}
	for range task.Concurrency { // All slots are free when no write is under way.
		if !takeSlot(slots, math.MaxInt64, drained) {
			break
		}
	}
	ledger.giveUp()
	return number
}

func takeSlot(slots chan struct{}, until int64, drained chan struct{}) bool {
	select {
	case <-drained: // Nothing is sent any more, even if a slot is free.
		return false
	default:
	}
	select {
	case slots <- struct{}{}:
		return true
	default:
	}
	timeout := time.NewTimer(time.Duration(until - now()))
	defer timeout.Stop()
	select {
	case slots <- struct{}{}:
		return true
	case <-timeout.C:
	case <-drained:
	}
	return false
}
