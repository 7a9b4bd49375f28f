package wire

import (
	"encoding/binary"
	"fmt"
)

// headerSize is the kind byte and the length of a message.
const headerSize = 5

// frameBound is the largest message PostgreSQL itself takes (MaxAllocSize, just under 1 GiB).
const frameBound = 1<<30 - 1

// captureBound is how much of one message's body is looked at. What lies beyond it is forwarded
// unread.
const captureBound = 1 << 20

// frame is one message. Its body is what was looked at of it: nothing where nobody needs it, and
// never more than captureBound.
type frame struct {
	kind byte
	size int // of the whole body
	body []byte
}

// whole tells whether the frame's body was captured to its end.
func (f frame) whole() bool { return len(f.body) == f.size }

// errNotProtocol is why a connection is ended whose bytes are not PostgreSQL's protocol.
type errNotProtocol struct{ reason string }

func (e errNotProtocol) Error() string {
	return "not the PostgreSQL protocol: " + e.reason
}

// cut reads the header of the frame at the beginning of bytes. It reports false when the header, or
// the part of the body that must be looked at, has not arrived yet.
func cut(bytes []byte, needsBody func(kind byte) bool) (frame, bool, error) {
	if len(bytes) < headerSize {
		return frame{}, false, nil
	}
	length := binary.BigEndian.Uint32(bytes[1:headerSize])
	if length < 4 || length > frameBound {
		return frame{}, false, errNotProtocol{
			fmt.Sprintf("a message %q that says it is %d bytes long", bytes[0], length)}
	}
	cutOff := frame{kind: bytes[0], size: int(length) - 4}
	if !needsBody(cutOff.kind) {
		return cutOff, true, nil
	}
	wanted := min(cutOff.size, captureBound)
	if len(bytes) < headerSize+wanted {
		return frame{}, false, nil
	}
	cutOff.body = bytes[headerSize : headerSize+wanted]
	return cutOff, true, nil
}
