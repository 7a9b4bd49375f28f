package fakes

import (
	"errors"
	"strconv"

	"lostreply/harness/scenario"
)

// resolvePointer finds the value that a JSON Pointer names in a decoded document.
func resolvePointer(document any, pointer string) (any, error) {
	tokens, err := scenario.PointerTokens(pointer)
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
