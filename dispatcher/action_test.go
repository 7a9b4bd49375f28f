package dispatcher

import "testing"

func TestChooseAction(t *testing.T) {
	const certain, doubt, absent, unasked = false, true, true, false
	for _, row := range []struct {
		mode      Mode
		uncertain bool
		absent    bool
		want      Action
	}{
		{Idempotent, certain, unasked, Send},
		{Queryable, certain, unasked, Send},
		{Neither, certain, unasked, Send},
		{Idempotent, doubt, unasked, Send},
		{Queryable, doubt, unasked, Query},
		{Queryable, doubt, absent, Send},
		{Neither, doubt, unasked, None},
		{Neither, doubt, absent, None},
		{"", doubt, unasked, None}, // a mode nobody knows is never called again
	} {
		if got := chooseAction(row.mode, row.uncertain, row.absent); got != row.want {
			t.Errorf("%s, uncertain=%t, absent=%t: %s, want %s",
				row.mode, row.uncertain, row.absent, got, row.want)
		}
	}
}
