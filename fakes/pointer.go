package fakes

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// pointerTokens splits a JSON Pointer into its unescaped tokens (RFC 6901, sections 3 and 4).
func pointerTokens(pointer string) ([]string, error) {
	if pointer == "" {
		return nil, nil
	}
	if !strings.HasPrefix(pointer, "/") {
		return nil, fmt.Errorf("JSON Pointer %q must begin with / (RFC 6901)", pointer)
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		rest := strings.NewReplacer("~0", "", "~1", "").Replace(token)
		if strings.Contains(rest, "~") {
			return nil, fmt.Errorf("JSON Pointer %q: ~ must be written ~0, / ~1 (RFC 6901)", pointer)
		}
		// One pass: ~01 is ~1, not /.
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	}
	return tokens, nil
}

// resolvePointer finds the value that a JSON Pointer names in a decoded document.
func resolvePointer(document any, pointer string) (any, error) {
	tokens, err := pointerTokens(pointer)
	if err != nil {
		return nil, err
	}
	for _, token := range tokens {
		switch container := document.(type) {
		case map[string]any:
			member, found := container[token]
			if !found {
				return nil, errors.New("is missing")
			}
			document = member
		case []any:
			index, err := strconv.Atoi(token)
			if err != nil || index < 0 || index >= len(container) || strconv.Itoa(index) != token {
				return nil, errors.New("is missing")
			}
			document = container[index]
		default:
			return nil, errors.New("is missing")
		}
	}
	return document, nil
}
