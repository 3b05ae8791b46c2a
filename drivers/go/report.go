package main

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// now is CLOCK_MONOTONIC in nanoseconds.
func now() int64 {
	var spec unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &spec) // This clock always exists.
	return spec.Nano()
}

// Output writes lines in the background. A reader that is slow does not hold up the writes.
type Output struct {
	mutex   sync.Mutex
	waiting []byte
	filled  chan struct{}
	flushed chan struct{}
}

func newOutput() *Output {
	output := &Output{filled: make(chan struct{}, 1), flushed: make(chan struct{})}
	go func() {
		defer close(output.flushed)
		for range output.filled {
			output.mutex.Lock()
			bytes := output.waiting
			output.waiting = nil
			output.mutex.Unlock()
			if _, err := os.Stdout.Write(bytes); err != nil {
				os.Exit(1) // Nobody listens any more.
			}
		}
	}()
	return output
}

func (o *Output) line(format string, values ...any) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.waiting = fmt.Appendf(o.waiting, format+"\n", values...)
	select {
	case o.filled <- struct{}{}:
	default: // A flush is due already.
	}
}

func (o *Output) close() {
	close(o.filled)
	<-o.flushed
}

// Ledger reports each write exactly once.
type Ledger struct {
	output *Output
	start  int64
	mutex  sync.Mutex
	open   map[int64]*openWrite
}

type openWrite struct {
	sent    int64
	written bool
}

func (l *Ledger) micros(nanos int64) int64 { return (nanos - l.start) / 1000 }

func (l *Ledger) send(number int64) (written func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	write := &openWrite{sent: now()}
	l.open[number] = write
	return func() {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		write.written = true
	}
}

func (l *Ledger) answer(number int64, outcome string, count int64, kind string) {
	answered := now()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	write := l.open[number]
	if write == nil {
		return // The drain is over, and the write was reported.
	}
	delete(l.open, number)
	l.output.line("w %d %s %d %d %d %s", number, outcome, count, l.micros(write.sent), l.micros(answered), kind)
}

func (l *Ledger) unsent(number int64) { l.output.line("w %d unsent -1 0 0 -", number) }

// giveUp reports the writes that the library still owes an answer.
func (l *Ledger) giveUp() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for number, write := range l.open {
		outcome := "unknown"
		if write.written {
			outcome = "under-acked"
		}
		l.output.line("w %d %s -1 %d 0 TIMEOUT", number, outcome, l.micros(write.sent))
	}
	l.open = nil
}
