package selftest

import (
	"strings"
	"testing"
)

// TestTwoReadings makes sure that expectations are read in one snapshot: a fact is the same at its
// second reading although the worker has gone on in between, as a look past the snapshot shows. As
// steps the same checks are moments of their own, and the fact is caught changing.
func TestTwoReadings(t *testing.T) {
	t.Parallel()
	call(t, "run", "testdata/moments/one-snapshot.yaml").expectStatus(t, 0)
	o := call(t, "run", "testdata/moments/two-readings.yaml").expectStatus(t, 1)
	if !strings.Contains(o.stdout, "FAIL counted again (expected=unchanged since first") ||
		!strings.HasSuffix(o.stdout, "SUMMARY passed=2 failed=1\n") {
		t.Errorf("the two readings were not told apart:\n%s", o)
	}
}
