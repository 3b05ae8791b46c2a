package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
)

const protocol = "sentinel-bench/driver@1"

// Task is what the harness asks for. docs/drivers.md describes the fields.
type Task struct {
	Protocol         string
	Variant          string
	Sentinels        []Address
	MasterName       string
	Username         string
	Password         string
	SentinelUsername string
	SentinelPassword string
	TLS              *TLSFiles
	Command          string
	Wait             *Wait
	Rate             float64 // writes a second
	Concurrency      int
	KeyPrefix        string
	ValueSeed        uint32
	ValueFiller      string
	GiveUpMs         int
	DrainMs          int
}

type Address struct {
	Host string
	Port int
}

type TLSFiles struct {
	CA, Cert, Key, ServerName string
}

// Wait is the WAIT after each write.
type Wait struct {
	Replicas  int
	TimeoutMs int
}

// parseTask returns an error that does not quote the task, because the task holds passwords.
func parseTask(line []byte) (*Task, error) {
	task := &Task{}
	if err := json.Unmarshal(line, task); err != nil {
		return nil, errors.New("the task is not a JSON object with the fields of the protocol")
	}
	switch {
	case task.Protocol != protocol:
		return nil, fmt.Errorf("the protocol of the task is not %s", protocol)
	case task.Variant != "defaults" && task.Variant != "best":
		return nil, errors.New("the variant is neither defaults nor best")
	case len(task.Sentinels) == 0 || task.MasterName == "":
		return nil, errors.New("the task names no Sentinel or no master name")
	case task.Command != "SET" && task.Command != "APPEND":
		return nil, errors.New("the command is neither SET nor APPEND")
	case task.Rate <= 0 || task.Concurrency < 1:
		return nil, errors.New("rate and concurrency have to be positive")
	}
	return task, nil
}

func (t *Task) best() bool { return t.Variant == "best" }

func (t *Task) sentinelAddresses() []string {
	var addresses []string
	for _, each := range t.Sentinels {
		addresses = append(addresses, net.JoinHostPort(each.Host, strconv.Itoa(each.Port)))
	}
	return addresses
}

// key and value of a write: the value is the number, its FNV-1a checksum, and a filler.
func (t *Task) keyAndValue(number int64) (string, string) {
	digits := fmt.Sprintf("%012d", number)
	hash := t.ValueSeed
	for i := range digits {
		hash = (hash ^ uint32(digits[i])) * 16777619
	}
	return t.KeyPrefix + digits, fmt.Sprintf("%s:%08x%s", digits, hash, t.ValueFiller)
}

// tlsConfig is nil if the task asks for no TLS.
func (t *Task) tlsConfig() (*tls.Config, error) {
	if t.TLS == nil {
		return nil, nil
	}
	config := &tls.Config{ServerName: t.TLS.ServerName}
	if t.TLS.CA != "" {
		pem, err := os.ReadFile(t.TLS.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM(pem)
	}
	if t.TLS.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.TLS.Cert, t.TLS.Key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
