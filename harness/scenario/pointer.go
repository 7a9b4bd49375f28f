package scenario

import (
	"fmt"
	"strings"
)

// PointerTokens splits a JSON Pointer into its unescaped tokens (RFC 6901, sections 3 and 4). The
// empty pointer, which names the whole document, has none. Its error says what the pointer breaks.
func PointerTokens(pointer string) ([]string, error) {
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
