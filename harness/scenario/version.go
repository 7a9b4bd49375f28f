package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// prose are the keys of a scenario that change nothing of what it does or checks.
var prose = map[string]bool{"title": true, "tags": true, "limits": true}

// versionOf names what a scenario does and checks, whatever its layout, comments and prose: two
// evidences can be compared when theirs is the same. A row of a matrix has its own.
func versionOf(root *yaml.Node) string {
	sum := sha256.New()
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i]; !prose[key.Value] {
			digest(sum, key)
			digest(sum, root.Content[i+1])
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

func digest(sum io.Writer, node *yaml.Node) {
	fmt.Fprintf(sum, "%d %s %q [", node.Kind, node.ShortTag(), node.Value) // a hash takes everything
	for _, inner := range node.Content {
		digest(sum, inner)
	}
	fmt.Fprint(sum, "]")
}
