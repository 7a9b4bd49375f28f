package relay

import (
	"fmt"
	"syscall"
)

// SendBuffer is the send buffer of a connection to the sink: the socket's own bounded queue.
type SendBuffer struct {
	// AskedBytes is what was asked for, 0 for whatever the kernel likes; Bytes is what the kernel
	// says there is. The two differ (socket(7): the kernel doubles the value, and bounds it), and
	// the account goes by the second.
	AskedBytes int `json:"send_buffer_asked_bytes"`
	Bytes      int `json:"send_buffer_bytes"`
}

// askForBuffer sets a socket's send buffer and reads back what came of it.
func askForBuffer(socket, asked int) (SendBuffer, error) {
	if asked > 0 {
		err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_SNDBUF, asked)
		if err != nil {
			return SendBuffer{}, fmt.Errorf("ask for a send buffer of %d bytes: %w", asked, err)
		}
	}
	got, err := syscall.GetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_SNDBUF)
	if err != nil {
		return SendBuffer{}, fmt.Errorf("read the send buffer back: %w", err)
	}
	return SendBuffer{AskedBytes: asked, Bytes: got}, nil
}

// tryBuffer finds out, on a socket that connects to nobody, what an asked size comes to.
func tryBuffer(asked int) (SendBuffer, error) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return SendBuffer{}, fmt.Errorf("open a socket: %w", err)
	}
	defer syscall.Close(socket)
	return askForBuffer(socket, asked)
}

// capacity is what a delivery may have at most, so that the socket takes it whole; 0 is no bound.
func (b SendBuffer) capacity() int { return b.Bytes }

// control sets the buffer of each connection, and holds it against what the account goes by.
func (b SendBuffer) control(_, _ string, raw syscall.RawConn) error {
	var problem error
	err := raw.Control(func(socket uintptr) {
		var got SendBuffer
		if got, problem = askForBuffer(int(socket), b.AskedBytes); problem == nil && got != b {
			problem = fmt.Errorf("the send buffer has %d bytes, and the account goes by %d",
				got.Bytes, b.Bytes)
		}
	})
	if err != nil {
		return fmt.Errorf("reach the socket: %w", err)
	}
	return problem
}
