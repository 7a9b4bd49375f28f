package wire

import (
	"bytes"
	"encoding/binary"
)

// authenticationSASL is the code of the message that offers login mechanisms.
const authenticationSASL = 10

// withoutChannelBinding is the server's offer of mechanisms without those that bind the login to
// the server's own TLS connection, which is not the worker's; nil when there is nothing to leave
// out.
func withoutChannelBinding(body []byte) []byte {
	if len(body) < 4 || binary.BigEndian.Uint32(body) != authenticationSASL ||
		!bytes.Contains(body, []byte("-PLUS\x00")) {
		return nil
	}
	offered := cursor{body[4:]}
	kept := bytes.Clone(body[:4])
	for offered.good() && len(offered.rest) > 0 {
		name := offered.text()
		if len(name) > 0 && !bytes.HasSuffix(name, []byte("-PLUS")) {
			kept = append(append(kept, name...), 0)
		}
	}
	return appendFrame(nil, 'R', kept, []byte{0})
}
