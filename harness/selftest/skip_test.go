package selftest

import (
	"strings"
	"testing"
)

// TestWhatCanNotBeRunIsSkipped makes sure that what the machine lacks is neither a pass nor a
// failure: the scenario is skipped, with the reason, and --no-skips makes that the exit status.
// What needs something that is there runs beside it.
func TestWhatCanNotBeRunIsSkipped(t *testing.T) {
	t.Parallel()
	all := call(t, "run", "testdata/needs").expectStatus(t, 0)
	for _, want := range []string{
		"skip program absent: not in PATH: no-such-command\n",
		"skip program unlearned: no Python with no_such_module: ",
		"ok   present ended (expected=exit 0, actual=exit 0)\n",
		"SUMMARY passed=1 failed=0 skipped=2\n",
	} {
		if !strings.Contains(all.stdout, want) {
			t.Errorf("no %q in\n%s", want, all.stdout)
		}
	}
	call(t, "run", "--no-skips", "testdata/needs").expectStatus(t, 3)
	call(t, "run", "--no-skips", "testdata/needs/present.yaml").expectStatus(t, 0)
}

// TestVariantOfNoSystem makes sure that a variant that a system does not have is a mistake in the
// call.
func TestVariantOfNoSystem(t *testing.T) {
	t.Parallel()
	o := call(t, "run", "--variant", "nothing", "testdata/needs").expectStatus(t, 2)
	if want := "system needs has no variant nothing: it has none\n"; o.stderr != want {
		t.Errorf("it says %q, want %q", o.stderr, want)
	}
}

// TestRepeat makes sure that runs that differ are told, and runs that do not are counted.
func TestRepeat(t *testing.T) {
	t.Parallel()
	o := call(t, "run", "--repeat", "5", "testdata/needs").expectStatus(t, 0)
	if want := "actual=repeat=5 outcomes=1 histories=1)"; strings.Count(o.stdout, want) != 1 ||
		!strings.HasSuffix(o.stdout, "SUMMARY passed=2 failed=0 skipped=2\n") {
		t.Errorf("no %q, once, in\n%s", want, o.stdout)
	}
	call(t, "run", "--repeat", "0", "testdata/needs").expectStatus(t, 2)
	differing := call(t, "run", "--repeat", "3", "testdata/unsteady").expectStatus(t, 1)
	if want := "FAIL every run the same"; !strings.Contains(differing.stdout, want) {
		t.Errorf("no %q in\n%s", want, differing.stdout)
	}
}
