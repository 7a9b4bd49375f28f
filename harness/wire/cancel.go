package wire

import (
	"fmt"
	"io"
)

// cancel hands a CancelRequest on. The keys in it are the server's own, as the worker was told them
// through this proxy, so the server finds the backend and judges the key. The client sees the end
// of its connection only when the server has signalled the backend.
func (c *connection) cancel(packet []byte) error {
	server, err := c.listener.config.Dial(c.ctx)
	if err != nil {
		return fmt.Errorf("reach the server with a cancel request: %w", err)
	}
	defer server.Close()
	defer c.closeOnEnd(server)()
	if backends := c.listener.config.Backends; backends != nil {
		packet = append(packet[:8:8], backends.cancelKey(packet[8:])...)
	}
	if _, err := server.Write(packet); err != nil {
		return fmt.Errorf("hand a cancel request on: %w", err)
	}
	_, err = io.Copy(io.Discard, server)
	return err
}
