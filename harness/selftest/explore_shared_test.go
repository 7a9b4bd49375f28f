package selftest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"lostreply/harness/clock"
)

// longVariable asks for everything: more repetitions, and whole systems in full. What is to hold is
// tested without it too, in smaller explorations.
const longVariable = "LOSTREPLY_LONG"

func long() bool { return os.Getenv(longVariable) != "" }

// unlessLong are flags that keep an exploration small.
func unlessLong(flags ...string) []string {
	if long() {
		return nil
	}
	return flags
}

// whole is an exploration that came to its end. Several tests look at it, and none writes there.
type whole struct {
	outcome
	folder string
}

// wholeSMS explores sms.yaml, once for all tests.
var wholeSMS = sync.OnceValues(func() (whole, error) {
	folder := filepath.Join(filepath.Dir(binary), "sms")
	ctx, cancel := clock.WithDeadline(context.Background(), patience)
	defer cancel()
	cmd := command(ctx, "explore", explorable+"/sms.yaml", "--out", folder)
	o, err := ended(cmd, cmd.Run)
	return whole{o, folder}, err
})

func exploredSMS(t *testing.T) whole {
	t.Helper()
	w, err := wholeSMS()
	if err != nil {
		t.Fatal(err)
	}
	w.expectStatus(t, 1)
	return w
}

// expectShown makes sure that a scenario that was written fails by itself, in a process of its own,
// and the same way each time.
func expectShown(t *testing.T, file, witness string) {
	t.Helper()
	times := "3"
	if long() {
		times = "20"
	}
	o := call(t, "--repeat", times, file).expectStatus(t, 1)
	for _, want := range []string{witness, "repeat=" + times + " outcomes=1"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("%s, run alone, does not show %q:\n%s", file, want, o.stdout)
		}
	}
}
