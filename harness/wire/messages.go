package wire

import "encoding/binary"

// appendFrame appends one message to bytes.
func appendFrame(bytes []byte, kind byte, body ...[]byte) []byte {
	size := 4
	for _, part := range body {
		size += len(part)
	}
	bytes = append(bytes, kind)
	bytes = binary.BigEndian.AppendUint32(bytes, uint32(size))
	for _, part := range body {
		bytes = append(bytes, part...)
	}
	return bytes
}

// errorResponse is an ErrorResponse with the fields that every client reads.
func errorResponse(severity, sqlState, message string) []byte {
	body := []byte("S" + severity + "\x00V" + severity + "\x00C" + sqlState + "\x00M" + message +
		"\x00\x00")
	return appendFrame(nil, 'E', body)
}
