// Package confirmed writes through Redis Sentinel and confirms each write with WAIT. Copy this file; it needs go-redis only.
// README.md of the folder above says how to use it.
//
// It does not use NewFailoverClient, which repeats commands and listens to one Sentinel only. It asks all Sentinels itself,
// listens to all of them, and uses a new client for each primary.
package confirmed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	connectWithin = 5 * time.Second
	askEvery      = 100 * time.Millisecond
	// hangs: a primary that owes an answer for so long is left.
	hangs = 2 * time.Second
)

// ErrNotConnected: nothing was sent. The client is looking for the primary.
var ErrNotConnected = errors.New("not connected, nothing sent")

type Options struct {
	Sentinels       []string // host:port
	Name            string   // of the primary, such as mymaster
	NodeOptions     redis.Options
	SentinelOptions redis.Options
	NodeAddressMap  map[string]string // for announced addresses that cannot be reached
}

type Answer struct {
	Outcome  string // acked, under-acked, rejected or unknown
	Replicas int64
	Err      error
}

type Client struct {
	options   Options
	sentinels []*redis.SentinelClient
	closed    context.Context
	close     context.CancelFunc

	mutex     sync.Mutex
	primary   *redis.Client // nil: not connected
	current   string        // announced address of the primary, or of the one that is being connected to
	announced string        // by +switch-master
}

// Connect returns an error if it is not connected to a primary within 5 s.
func Connect(options Options) (*Client, error) {
	c := &Client{options: options}
	c.closed, c.close = context.WithCancel(context.Background())
	for _, address := range options.Sentinels {
		sentinel := redis.NewSentinelClient(clientOptions(options.SentinelOptions, address))
		c.sentinels = append(c.sentinels, sentinel)
		go c.listen(sentinel.Subscribe(c.closed, "+switch-master"))
	}
	go c.stayConnected()
	for end := time.Now().Add(connectWithin); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if c.connection() != nil {
			return c, nil
		}
	}
	c.Close()
	return nil, fmt.Errorf("not connected to the primary of %s within %v", options.Name, connectWithin)
}

// Write sends a command that writes, and its WAIT, on one connection, once.
func (c *Client) Write(replicas int, timeout time.Duration, command ...any) Answer {
	primary := c.connection()
	if primary == nil {
		return Answer{"rejected", 0, ErrNotConnected}
	}
	ctx, cancel := context.WithTimeout(context.Background(), hangs+timeout)
	defer cancel()
	pipeline := primary.Pipeline()
	write := pipeline.Do(ctx, command...)
	count := pipeline.Do(ctx, "WAIT", replicas, timeout.Milliseconds())
	_, _ = pipeline.Exec(ctx) // Each command has its own error.

	var reply redis.Error
	if err := write.Err(); errors.As(err, &reply) {
		if strings.HasPrefix(reply.Error(), "READONLY") {
			c.leave(primary)
		}
		return Answer{"rejected", 0, err}
	} else if err != nil {
		c.leave(primary)
		var network *net.OpError
		if errors.As(err, &network) && network.Op == "dial" {
			return Answer{"rejected", 0, err} // It was not sent.
		}
		return Answer{"unknown", 0, err}
	}
	confirmed, err := count.Int64()
	if err != nil {
		c.leave(primary)
		return Answer{"unknown", 0, err}
	}
	if confirmed < int64(replicas) {
		return Answer{"under-acked", confirmed, nil}
	}
	return Answer{"acked", confirmed, nil}
}

func (c *Client) Close() {
	c.close()
	c.leave(c.connection())
	for _, sentinel := range c.sentinels {
		_ = sentinel.Close()
	}
}

func (c *Client) connection() *redis.Client {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.primary
}

// leave closes all connections to a primary. Writes that it owes an answer become unknown.
func (c *Client) leave(primary *redis.Client) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if primary != nil && primary == c.primary {
		c.primary = nil
		go func() { _ = primary.Close() }()
	}
}

// listen leaves the old primary at +switch-master, such as `mymaster 10.0.0.1 6379 10.0.0.2 6379`.
func (c *Client) listen(events *redis.PubSub) {
	for event := range events.Channel() {
		words := strings.Fields(event.Payload)
		if len(words) != 5 || words[0] != c.options.Name {
			continue
		}
		address := net.JoinHostPort(words[3], words[4])
		c.mutex.Lock()
		old := c.primary
		isNew := c.current != address
		if isNew {
			c.announced = address
		}
		c.mutex.Unlock()
		if isNew {
			c.leave(old)
		}
	}
}

func (c *Client) stayConnected() {
	for ; c.closed.Err() == nil; time.Sleep(askEvery) {
		if c.connection() == nil {
			c.useNewPrimary()
		}
	}
}

func (c *Client) useNewPrimary() {
	answer := c.askSentinels()
	c.mutex.Lock()
	if c.announced != "" {
		answer = c.announced // A Sentinel that answers first may not know the new primary yet.
	}
	c.current, c.announced = answer, ""
	c.mutex.Unlock()
	if answer == "" {
		return
	}
	address := answer
	if mapped, isMapped := c.options.NodeAddressMap[answer]; isMapped {
		address = mapped
	}
	options := clientOptions(c.options.NodeOptions, address)
	options.PipelinePoolSize = -1 // The connections that a pipeline uses are those that PING opened.
	primary := redis.NewClient(options)
	ctx, cancel := context.WithTimeout(c.closed, hangs)
	defer cancel()
	err := primary.Ping(ctx).Err()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err != nil || c.announced != "" || c.closed.Err() != nil {
		_ = primary.Close()
		return
	}
	c.primary = primary
}

// askSentinels returns the first answer, or nothing.
func (c *Client) askSentinels() string {
	ctx, cancel := context.WithTimeout(c.closed, hangs)
	defer cancel()
	answers := make(chan string, len(c.sentinels))
	for _, sentinel := range c.sentinels {
		go func() {
			address, err := sentinel.GetMasterAddrByName(ctx, c.options.Name).Result()
			if err != nil || len(address) != 2 {
				answers <- ""
				return
			}
			answers <- net.JoinHostPort(address[0], address[1])
		}()
	}
	for range c.sentinels {
		if answer := <-answers; answer != "" {
			return answer
		}
	}
	return ""
}

// clientOptions: nothing is repeated, and a deadline of the caller holds.
func clientOptions(options redis.Options, address string) *redis.Options {
	options.Addr = address
	options.MaxRetries = -1
	options.DialerRetries = 1
	options.DialTimeout = hangs
	options.ContextTimeoutEnabled = true
	return &options
}
