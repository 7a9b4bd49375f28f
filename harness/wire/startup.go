package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
)

// The codes of the packets that begin a connection; PostgreSQL documentation, "Message Formats".
const (
	codeCancel = 80877102
	codeTLS    = 80877103
	codeGSS    = 80877104
)

// startupBound is the largest start-up packet that the server takes (MAX_STARTUP_PACKET_LENGTH).
const startupBound = 10000

// tlsHandshake is the first byte of a TLS record; no start-up packet begins with it. Clients with
// sslnegotiation=direct send it without asking first.
const tlsHandshake = 0x16

// opening is how a client began: the packet to forward, and what it is for.
type opening struct {
	packet      []byte
	cancels     bool
	replication bool
}

// greet answers a client's requests for encryption until it says what it wants. The connection it
// returns speaks in clear to us: the client's own, or TLS over it.
func (l *Listener) greet(ctx context.Context, client net.Conn) (net.Conn, opening, error) {
	encrypted := false
	for {
		packet, err := readStartup(client)
		if err != nil {
			return client, opening{}, err
		}
		if packet[0] == tlsHandshake && !encrypted {
			client, err = l.encrypt(ctx, &prefixed{Conn: client, prefix: packet})
			if err != nil {
				return client, opening{}, err
			}
			encrypted = true
			continue
		}
		switch code := binary.BigEndian.Uint32(packet[4:]); {
		case code == codeCancel:
			return client, opening{packet: packet, cancels: true}, nil
		case code == codeTLS && l.config.Authority != nil && !encrypted:
			if _, err = client.Write([]byte("S")); err == nil {
				client, err = l.encrypt(ctx, client)
			}
			encrypted = true
		case code == codeTLS || code == codeGSS:
			_, err = client.Write([]byte("N"))
		case code>>16 == 3:
			return client, opening{packet: packet, replication: asksReplication(packet)}, nil
		default:
			err = errNotProtocol{fmt.Sprintf("a start-up packet of version %d.%d", code>>16,
				code&0xffff)}
		}
		if err != nil {
			return client, opening{}, err
		}
	}
}

// readStartup reads one packet without a kind byte, and not a byte more; or the first bytes of a
// TLS handshake.
func readStartup(client io.Reader) ([]byte, error) {
	packet := make([]byte, 8)
	if _, err := io.ReadFull(client, packet); err != nil {
		return nil, err
	}
	if packet[0] == tlsHandshake {
		return packet, nil
	}
	length := binary.BigEndian.Uint32(packet)
	if length < 8 || length > startupBound {
		return nil, errNotProtocol{fmt.Sprintf("a start-up packet of %d bytes", length)}
	}
	packet = append(packet, make([]byte, length-8)...)
	if _, err := io.ReadFull(client, packet[8:]); err != nil {
		return nil, fmt.Errorf("read the rest of a start-up packet: %w", err)
	}
	return packet, nil
}

// asksReplication tells whether a start-up packet asks for a replication connection, which speaks
// another language after the login and is left alone.
func asksReplication(packet []byte) bool {
	fields := bytes.Split(packet[8:], []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		if string(fields[i]) != "replication" {
			continue
		}
		switch string(bytes.ToLower(fields[i+1])) {
		case "off", "false", "no", "0", "":
			return false
		}
		return true
	}
	return false
}

// prefixed gives back bytes that were read too early.
type prefixed struct {
	net.Conn
	prefix []byte
}

// CloseWrite half-closes the connection beneath.
func (p *prefixed) CloseWrite() error { return halfClose(p.Conn) }

func (p *prefixed) Read(into []byte) (int, error) {
	if len(p.prefix) == 0 {
		return p.Conn.Read(into)
	}
	count := copy(into, p.prefix)
	p.prefix = p.prefix[count:]
	return count, nil
}
