package variant_test

import (
	"fmt"
	"testing"

	"lostreply/harness/variant"
)

// What a run pays before its first worker when nothing has changed since the last: each iteration
// is a new Builder, as each run has one.
func BenchmarkUnchangedBuild(b *testing.B) {
	root, cache := checkout(b), b.TempDir()
	programs := []string{courier, clerk, "./other/cmd/courier"}
	buildAll := func() {
		builder := &variant.Builder{CacheDir: cache}
		if _, err := builder.BuildAll(b.Context(), root, programs, nil); err != nil {
			b.Fatal(err)
		}
	}
	buildAll()
	for b.Loop() {
		buildAll()
	}
}

// What a defect costs that was not built before: the edited package and the link.
func BenchmarkNewDefect(b *testing.B) {
	root := checkout(b)
	builder := &variant.Builder{CacheDir: b.TempDir()}
	number := 0
	for b.Loop() {
		number++
		broken := decode(b, edit("Finish", "text", "STALE", fmt.Sprintf("STALE %d", number)))
		if _, err := builder.Build(b.Context(), root, courier, broken); err != nil {
			b.Fatal(err)
		}
	}
}
