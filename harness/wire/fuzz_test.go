package wire

import (
	"bytes"
	"io"
	"testing"
)

// FuzzFramer: whatever bytes come, the intake keeps its order, its bounds and every byte.
func FuzzFramer(f *testing.F) {
	f.Add(message("Qselect 1_"), byte(1))
	f.Add([]byte("Q\xff\xff\xff\xff"), byte(2))
	f.Add([]byte("D\x00\x00\x10\x00short"), byte(3))
	f.Add(append(message("P_x___"), message("S")...), byte(7))
	f.Fuzz(func(t *testing.T, stream []byte, pattern byte) {
		var out bytes.Buffer
		intake := newIntake(bytes.NewReader(stream), requestsNeed)
		for turn := byte(0); ; turn++ {
			next, ok, err := intake.next()
			if err != nil {
				return
			}
			switch {
			case ok && len(next.body) > captureBound:
				t.Fatalf("%d bytes of a body captured", len(next.body))
			case ok && turn&pattern == 0:
				intake.pass()
				continue
			case ok:
				continue
			}
			if err := intake.flush(&out); err != nil {
				t.Fatal(err)
			}
			if intake.fill() == io.EOF {
				break
			}
		}
		if !bytes.HasPrefix(stream, out.Bytes()) {
			t.Fatalf("wrote %q of %q", out.Bytes(), stream)
		}
		if kept := int(intake.withheld()); out.Len()+kept > len(stream) {
			t.Fatalf("wrote %d and keeps %d of %d", out.Len(), kept, len(stream))
		}
	})
}

// FuzzTurns: whatever worker and server say, in whatever order, the builder neither fails nor
// grows.
func FuzzTurns(f *testing.F) {
	f.Add(append(message("Qbegin; update t set a = 1; commit_"), message("S")...),
		append(message("CBEGIN_"), message("ZT")...), byte(0))
	f.Add(append(message("Ps_copy t from stdin__\x00\x01\x00\x00\x00\x17"),
		append(message("B_s_\x00\x01\x00\x01\x00\x01\x00\x00\x00\x04abcd__"), message("E_____")...)...),
		append(message("t\x00\x01\x00\x00\x00\x17"), message("G")...), byte(3))
	f.Fuzz(func(t *testing.T, requests, answers []byte, choice byte) {
		namer := Names{{Name: "change", Command: "UPDATE", Params: map[int]string{1: "7"}}}
		turns := newTurns(newReader(namer, []string{"select 1"}))
		asked, told := cutAll(requests, requestsNeed), cutAll(answers, answersNeed)
		for len(asked)+len(told) > 0 {
			if len(told) == 0 || len(asked) > 0 && choice&1 == 0 {
				if turns.request(asked[0]) == ask {
					turns.asked(false)
					if choice&2 == 0 {
						turns.forwarded()
					} else {
						turns.failed("40001")
					}
				}
				asked = asked[1:]
			} else {
				if turns.answer(told[0]) == ask {
					turns.told()
				}
				told = told[1:]
			}
			choice = choice>>1 | choice<<7
		}
		if len(turns.queue) > len(requests)+1 {
			t.Fatalf("%d groups of %d bytes", len(turns.queue), len(requests))
		}
	})
}

// cutAll cuts as many frames as there are.
func cutAll(stream []byte, needs func(byte) bool) []frame {
	var frames []frame
	for {
		next, ok, err := cut(stream, needs)
		if !ok || err != nil || headerSize+next.size > len(stream) {
			return frames
		}
		frames = append(frames, next)
		stream = stream[headerSize+next.size:]
	}
}
