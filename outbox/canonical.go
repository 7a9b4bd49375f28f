package outbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode/utf8"
)

// ErrUnreadable is a payload that can't be understood, today or tomorrow.
var ErrUnreadable = errors.New("unreadable payload")

// maxDepth bounds the nesting of a payload.
const maxDepth = 64

// Canonical writes a JSON payload in the one form that all its spellings share: no white space,
// keys sorted, each number in one notation. So two payloads are the same message exactly when
// their canonical forms are equal texts: the order of fields does not matter, 25, 25.0 and 2.5e1
// are one number (compared exactly, never as floating point), and a field that one has and the
// other has not is a difference. A key given twice, bytes that are not UTF-8 and anything after
// the value are ErrUnreadable.
func Canonical(payload string) (string, error) {
	if !utf8.ValidString(payload) {
		return "", fmt.Errorf("%w: not UTF-8", ErrUnreadable)
	}
	decoder := json.NewDecoder(strings.NewReader(payload))
	decoder.UseNumber()
	var text strings.Builder
	if err := writeCanonical(&text, decoder, 0); err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("%w: something follows the value", ErrUnreadable)
	}
	return text.String(), nil
}

func writeCanonical(text *strings.Builder, decoder *json.Decoder, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	switch value := token.(type) {
	case json.Delim:
		if value == '{' {
			return writeObject(text, decoder, depth)
		}
		return writeArray(text, decoder, depth)
	case json.Number:
		number, err := canonicalNumber(value.String())
		text.WriteString(number)
		return err
	default: // a text, true, false or null
		written, err := json.Marshal(value)
		text.Write(written)
		return err
	}
}

func writeArray(text *strings.Builder, decoder *json.Decoder, depth int) error {
	separator := "["
	for decoder.More() {
		text.WriteString(separator)
		separator = ","
		if err := writeCanonical(text, decoder, depth+1); err != nil {
			return err
		}
	}
	if separator == "[" {
		text.WriteString(separator)
	}
	text.WriteString("]")
	_, err := decoder.Token()
	return err
}

func writeObject(text *strings.Builder, decoder *json.Decoder, depth int) error {
	fields := map[string]string{}
	var keys []string
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string) // the decoder lets nothing else stand there
		if _, twice := fields[key]; twice {
			return fmt.Errorf("key %q is given twice", key)
		}
		var value strings.Builder
		if err := writeCanonical(&value, decoder, depth+1); err != nil {
			return err
		}
		fields[key] = value.String()
		keys = append(keys, key)
	}
	if _, err := decoder.Token(); err != nil {
		return err
	}
	sort.Strings(keys)
	text.WriteString("{")
	for i, key := range keys {
		if i > 0 {
			text.WriteString(",")
		}
		name, err := json.Marshal(key)
		if err != nil {
			return err
		}
		text.Write(name)
		text.WriteString(":")
		text.WriteString(fields[key])
	}
	text.WriteString("}")
	return nil
}
