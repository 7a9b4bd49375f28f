package clock_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lostreply/harness/clock"
)

func TestUncaught(t *testing.T) {
	for _, test := range []struct {
		sql  string
		want []string
	}{
		{"", nil},
		{"CREATE TABLE t (at timestamptz DEFAULT now())", nil},
		{"at timestamptz DEFAULT current_timestamp, b date DEFAULT CURRENT_DATE",
			[]string{"current_timestamp", "CURRENT_DATE"}},
		{"SELECT CURRENT_TIMESTAMP(3), CURRENT_TIMESTAMP, localtime, LOCALTIMESTAMP, current_time",
			[]string{"CURRENT_TIMESTAMP", "localtime", "LOCALTIMESTAMP", "current_time"}},
		{"SELECT my_current_timestamp, current_timestamps", nil},
		{"-- CURRENT_TIMESTAMP\nSELECT 1 /* CURRENT_TIME /* nested */ LOCALTIME */", nil},
		{`SELECT 'CURRENT_TIMESTAMP', "CURRENT_TIMESTAMP", 'it''s CURRENT_TIME'`, nil},
		{`SELECT E'\' CURRENT_TIME', CURRENT_DATE`, []string{"CURRENT_DATE"}},
		{`SELECT 'ends in \', CURRENT_DATE`, []string{"CURRENT_DATE"}},
		{"SELECT 'now'::timestamptz, timestamptz 'now', 'now'", []string{
			"'now'::timestamptz", "timestamptz 'now'"}},
		{"SELECT CAST('now' AS timestamp with time zone), 'today'::date", []string{
			"'now' AS timestamp with time zone", "'today'::date"}},
		{"SELECT 'now'::text, 'nowhere'::timestamptz", nil},
		{"CREATE FUNCTION f() RETURNS timestamptz LANGUAGE sql AS $$ SELECT CURRENT_TIMESTAMP $$",
			[]string{"CURRENT_TIMESTAMP"}},
		{"SELECT 'unended CURRENT_DATE", nil},
		{"/* unended CURRENT_DATE", nil},
	} {
		if diff := cmp.Diff(test.want, clock.Uncaught(test.sql)); diff != "" {
			t.Errorf("%s\n(-want +got)\n%s", test.sql, diff)
		}
	}
}

func TestUncaughtReadsAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"'", `"`, "--", "/*", "*/", "\n", "E", `\`,
			"now", "::date", "date ", "CURRENT_DATE", "$$", "é"})).Draw(t, "parts")
		text := ""
		for _, part := range parts {
			text += part
		}
		clock.Uncaught(text)
	})
}
