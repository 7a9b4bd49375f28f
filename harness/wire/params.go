package wire

import (
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The types whose values are compared, by their object ids (pg_type.dat).
const (
	oidInt8 = 20
	oidInt2 = 21
	oidInt4 = 23
	oidText = 25
	oidOID  = 26
	oidUUID = 2950
)

// compare tells whether all parameters are those that the event wants; else which one is not.
func (m Match) compare(params []param) (comparison, int) {
	outcome, which := equals, 0
	for _, number := range slices.Sorted(maps.Keys(m.Params)) {
		if number < 1 || number > len(params) {
			return differs, number
		}
		switch params[number-1].compare(m.Params[number]) {
		case differs:
			return differs, number
		case undecidable:
			outcome, which = undecidable, number
		}
	}
	return outcome, which
}

// param is one value of a Bind.
type param struct {
	value  []byte
	null   bool
	binary bool
	oid    uint32 // 0: not known
	cutOff bool   // it lies beyond what was looked at
}

// comparison is what came of comparing: the value is the one wanted, is another, or can't be told.
type comparison int

const (
	differs comparison = iota
	equals
	undecidable
)

// compare tells whether a parameter has the value that an event's `params` name. A value that can't
// be read is never "another value".
func (p param) compare(wanted string) comparison {
	switch {
	case p.cutOff:
		return undecidable
	case p.null:
		return differs
	case !p.binary:
		return p.compareText(wanted)
	}
	switch p.oid {
	case oidText, 1043, 1042, 19, 705:
		return decide(string(p.value) == wanted)
	case oidInt2, oidInt4, oidInt8, oidOID:
		number, ok := p.integer()
		if !ok {
			return undecidable
		}
		return decide(number == strings.TrimPrefix(strings.TrimSpace(wanted), "+"))
	case oidUUID:
		return decide(hex.EncodeToString(p.value) == bareUUID(wanted))
	}
	return undecidable
}

func (p param) compareText(wanted string) comparison {
	value := string(p.value)
	switch {
	case value == wanted:
		return equals
	case bareUUID(value) != "" && bareUUID(value) == bareUUID(wanted):
		return equals
	}
	switch p.oid {
	case 0, oidText, 1043, 1042, 19, 705, oidInt2, oidInt4, oidInt8, oidOID, oidUUID:
		return differs
	}
	return undecidable // the same value may be spelled otherwise
}

func (p param) integer() (string, bool) {
	switch len(p.value) {
	case 2:
		return strconv.Itoa(int(int16(binary.BigEndian.Uint16(p.value)))), true
	case 4:
		number := binary.BigEndian.Uint32(p.value)
		if p.oid == oidOID {
			return strconv.FormatUint(uint64(number), 10), true
		}
		return strconv.Itoa(int(int32(number))), true
	case 8:
		return strconv.FormatInt(int64(binary.BigEndian.Uint64(p.value)), 10), true
	}
	return "", false
}

// bareUUID is a UUID's 32 digits in lower case, or nothing when the text is none.
func bareUUID(text string) string {
	bare := strings.ToLower(strings.Trim(strings.ReplaceAll(text, "-", ""), "{}"))
	if _, err := hex.DecodeString(bare); err != nil || len(bare) != 32 {
		return ""
	}
	return bare
}

func decide(same bool) comparison {
	if same {
		return equals
	}
	return differs
}

// bind is the decoded beginning of a Bind message.
type bind struct {
	portal, statement []byte
	params            []param
}

// paramsRead bounds how many parameters are decoded; the protocol's own bound is 65535.
const paramsRead = 1 << 16

// readBind decodes a Bind message as far as it was captured; withParams false leaves the values.
func readBind(f frame, oids []uint32, withParams bool) (bind, bool) {
	body := cursor{f.body}
	decoded := bind{portal: body.text(), statement: body.text()}
	if !body.good() || !withParams {
		return decoded, body.good()
	}
	formats := make([]bool, body.int16())
	for i := range formats {
		formats[i] = body.int16() == 1
	}
	count := min(body.int16(), paramsRead)
	if !body.good() {
		return decoded, false
	}
	for i := range count {
		one := param{binary: len(formats) == 1 && formats[0] || i < len(formats) && formats[i]}
		if i < len(oids) {
			one.oid = oids[i]
		}
		switch length := body.int32(); {
		case !body.good():
			one.cutOff = true
		case length < 0:
			one.null = true
		default:
			one.value = body.bytes(length)
			one.cutOff = !body.good()
		}
		decoded.params = append(decoded.params, one)
	}
	return decoded, true
}

// cursor reads the fields of a message; when they run out it stays bad.
type cursor struct{ rest []byte }

func (c *cursor) good() bool { return c.rest != nil }

func (c *cursor) bytes(count int) []byte {
	if !c.good() || count < 0 || count > len(c.rest) {
		c.rest = nil
		return nil
	}
	taken := c.rest[:count]
	c.rest = c.rest[count:]
	return taken
}

func (c *cursor) text() []byte {
	for i, b := range c.rest {
		if b == 0 {
			taken := c.rest[:i]
			c.rest = c.rest[i+1:]
			return taken
		}
	}
	c.rest = nil
	return nil
}

func (c *cursor) int16() int {
	if taken := c.bytes(2); taken != nil {
		return int(binary.BigEndian.Uint16(taken))
	}
	return 0
}

func (c *cursor) int32() int {
	if taken := c.bytes(4); taken != nil {
		return int(int32(binary.BigEndian.Uint32(taken)))
	}
	return 0
}
