package report_test

import (
	"testing"

	"lostreply/harness/report"
	"lostreply/harness/result"
)

// TestAgain makes sure that what decides how a scenario comes out is in the command that repeats
// it.
func TestAgain(t *testing.T) {
	one := result.Result{Scenario: "a", File: "s/a.yaml"}
	cell := result.Result{Scenario: "a[n=1]", File: "s/a b.yaml"}
	for _, each := range []struct {
		again report.Again
		of    result.Result
		want  string
	}{
		{report.Again{}, one, "./run.sh s/a.yaml"},
		{report.Again{}, cell, `./run.sh run --run '^a\[n=1\]$' 's/a b.yaml'`},
		{report.Again{Variant: "v", Fresh: true, Repeat: 3}, one,
			"./run.sh run --variant v --fresh --repeat 3 s/a.yaml"},
		{report.Again{Server: `"$LOSTREPLY_POSTGRES_URL"`}, one,
			`./run.sh run --postgres "$LOSTREPLY_POSTGRES_URL" s/a.yaml`},
		{report.Again{Binaries: "/opt/p g"}, one,
			"LOSTREPLY_POSTGRES_BIN='/opt/p g' ./run.sh s/a.yaml"},
	} {
		if got := each.again.Of(each.of); got != each.want {
			t.Errorf("got  %s\nwant %s", got, each.want)
		}
	}
}
