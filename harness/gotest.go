package harness

import (
	"context"
	"os"
	"strings"
	"testing"

	"lostreply/harness/check"
	"lostreply/harness/lab"
	"lostreply/harness/process"
	"lostreply/harness/report"
	"lostreply/harness/result"
	"lostreply/harness/run"
	"lostreply/harness/scenario"
)

// Main is the body of a TestMain whose package calls Run:
//
//	func TestMain(m *testing.M) { harness.Main(m) }
//
// The test binary is started a second time as the keeper, which ends workers and servers should the
// tests be killed; Main is where it turns into that.
func Main(m *testing.M) {
	process.KeeperMain()
	os.Exit(m.Run())
}

// Run runs scenario files, and folders of them, as subtests that are called like the scenarios:
// go test -run 'Scenarios/T1'. Paths are relative to the package's folder. A mistake in a file
// fails the test before anything is started; a scenario that fails or is inconclusive fails its
// subtest, and one that can't run on this machine, or that is tagged slow or field and not named by
// its path, is skipped with the reason. LOSTREPLY_POSTGRES_URL and LOSTREPLY_POSTGRES_BIN say which
// PostgreSQL is used, as they do for the command.
func Run(t *testing.T, paths ...string) {
	t.Helper()
	suite, err := scenario.Load(paths...)
	if err != nil {
		t.Fatal(err)
	}
	if len(suite.Scenarios) == 0 {
		t.Fatalf("%v in %s", scenario.ErrNothingSelected, strings.Join(paths, ", "))
	}
	in, err := lab.Open(lab.Options{
		PostgresURL:       lab.PostgresURLFromEnvironment(),
		PostgresDirectory: lab.PostgresDirectoryFromEnvironment(),
		Log:               func(line string) { t.Log(line) },
	})
	if err != nil {
		t.Fatalf("%v\nDoes the package have func TestMain(m *testing.M) { harness.Main(m) }?", err)
	}
	t.Cleanup(func() {
		if err := in.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	twice := namesOfTwoSystems(suite.Scenarios)
	for _, each := range suite.Scenarios {
		name := each.Name()
		if twice[name] {
			name = each.Under.Name.Value + "." + name
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tag := each.OptIn(); tag != "" && !named(each.File, paths) {
				t.Skipf("tagged %s: name its path to run it", tag)
			}
			conclude(t, run.One(t.Context(), in, each))
		})
	}
}

func named(file string, paths []string) bool {
	for _, path := range paths {
		if path == file {
			return true
		}
	}
	return false
}

// namesOfTwoSystems are the names that scenarios of several systems have.
func namesOfTwoSystems(scenarios []*scenario.Scenario) map[string]bool {
	system, twice := map[string]*scenario.System{}, map[string]bool{}
	for _, each := range scenarios {
		if first := system[each.Name()]; first != nil && first != each.Under {
			twice[each.Name()] = true
		}
		system[each.Name()] = each.Under
	}
	return twice
}

// conclude turns a result into that of a test.
func conclude(t *testing.T, r result.Result) {
	t.Helper()
	var told strings.Builder
	text := report.NewText(&told)
	text.Again = report.Again{GoTest: t.Name()}
	text.Result(r)
	switch {
	case r.Skipped != "":
		t.Skip(r.Skipped)
	case r.Verdict != check.Pass:
		t.Errorf("%s\n%s", r.Verdict, told.String())
	default:
		t.Log("\n" + told.String())
	}
}
