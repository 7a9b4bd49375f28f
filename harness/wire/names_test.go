package wire

import (
	"encoding/binary"
	"testing"
)

func TestNames(t *testing.T) {
	names := Names{
		{Name: "rescue", Contains: "-- name: JobRescueMany :exec\n  UPDATE"},
		{Name: "claim", Contains: "for update\tskip locked", Label: "with-update river_job"},
		{Name: "any-update", Command: "update"},
		{Name: "nothing"},
	}
	for text, expected := range map[string][]string{
		"-- name: JobRescueMany :exec\nUPDATE x SET a = 1": {"rescue", "any-update"},
		"with a as (select 1 from j for update\n\n skip locked) update river_job set b = 1": {"claim",
			"any-update"},
		"with a as (select 1 from j for update skip locked) update other set b = 1": {"any-update"},
		"select 1": nil,
	} {
		r := newReader(names, nil)
		got := r.read([]byte(text), false).names
		if len(got) != len(expected) {
			t.Errorf("%s: named %q, expected %q", text, got, expected)
			continue
		}
		for i := range got {
			if got[i] != expected[i] {
				t.Errorf("%s: named %q, expected %q", text, got, expected)
			}
		}
	}
}

func TestParametersAreComparedOrUndecided(t *testing.T) {
	const id = "9F1C2B3A-0000-4000-8000-00000000abcd"
	four, eight := make([]byte, 4), make([]byte, 8)
	minus := int32(-7)
	binary.BigEndian.PutUint32(four, uint32(minus))
	binary.BigEndian.PutUint64(eight, 1<<40)
	uuid := []byte("\x9f\x1c\x2b\x3a\x00\x00\x40\x00\x80\x00\x00\x00\x00\x00\xab\xcd")
	for _, c := range []struct {
		what   string
		param  param
		wanted string
		is     comparison
	}{
		{"text", param{value: []byte("a")}, "a", equals},
		{"other text", param{value: []byte("b")}, "a", differs},
		{"null", param{null: true}, "a", differs},
		{"binary text", param{value: []byte("a"), binary: true, oid: oidText}, "a", equals},
		{"int4", param{value: four, binary: true, oid: oidInt4}, "-7", equals},
		{"int8", param{value: eight, binary: true, oid: oidInt8}, "1099511627776", equals},
		{"other int8", param{value: eight, binary: true, oid: oidInt8}, "1", differs},
		{"uuid", param{value: uuid, binary: true, oid: oidUUID}, id, equals},
		{"uuid as text", param{value: []byte("{9f1c2b3a00004000800000000000abcd}")}, id, equals},
		{"binary of unknown type", param{value: four, binary: true}, "-7", undecidable},
		{"binary timestamp", param{value: eight, binary: true, oid: 1184}, "now", undecidable},
		{"timestamp, spelled otherwise", param{value: []byte("2020-01-01"), oid: 1184}, "2020-01-01 0:0",
			undecidable},
		{"beyond what is looked at", param{cutOff: true}, "a", undecidable},
	} {
		if is := c.param.compare(c.wanted); is != c.is {
			t.Errorf("%s: %d, expected %d", c.what, is, c.is)
		}
	}
}
