package main

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
)

// Answer is what the library answered to one write.
type Answer struct {
	Write error // of SET or APPEND
	Count int64 // of WAIT
	Wait  error // of WAIT
}

// Library is one client library, used in one variant.
type Library interface {
	// Connect returns when the library has answered a PING of the primary.
	Connect(ctx context.Context, task *Task) error
	// SendsWaitTo is same-connection or other-connection.
	SendsWaitTo() string
	// Write calls written as soon as SET or APPEND was answered, if it knows.
	Write(key, value string, written func()) Answer
	// Reply returns the text of an error reply of the server.
	Reply(err error) (text string, isReply bool)
	// KnowsNoPrimary tells whether the library found no primary to send a command to.
	KnowsNoPrimary(err error) bool
}

// Error replies that say that nothing was written.
var nothingWritten = map[string]bool{
	"NOAUTH": true, "NOPERM": true, "WRONGPASS": true, "DENIED": true, "OOM": true, "MISCONF": true, "NOREPLICAS": true,
	"READONLY": true, "MASTERDOWN": true, "LOADING": true, "BUSY": true, "EXECABORT": true, "CLUSTERDOWN": true,
}

// judge returns outcome, count and kind.
func judge(library Library, answer Answer, wait *Wait) (string, int64, string) {
	if answer.Write != nil {
		kind, isReply := kindOf(library, answer.Write)
		if isReply && nothingWritten[kind] {
			return "rejected", -1, kind
		}
		return "unknown", -1, kind
	}
	if wait == nil {
		return "acked", -1, "-"
	}
	if answer.Wait != nil {
		kind, _ := kindOf(library, answer.Wait)
		return "under-acked", -1, kind
	}
	if answer.Count < int64(wait.Replicas) {
		return "under-acked", answer.Count, "-"
	}
	return "acked", answer.Count, "-"
}

func kindOf(library Library, err error) (kind string, isReply bool) {
	if text, isReply := library.Reply(err); isReply {
		word, _, _ := strings.Cut(text, " ")
		if word == "" || word != strings.ToUpper(word) {
			word = "ERR" // Some libraries leave it out.
		}
		return word, true
	}
	var network net.Error
	switch {
	case library.KnowsNoPrimary(err):
		return "NOPRIMARY", false
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "TIMEOUT", false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EPIPE):
		return "CLOSED", false
	}
	return "OTHER", false
}
