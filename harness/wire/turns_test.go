package wire

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// of cuts recorded bytes into frames.
func of(t testing.TB, bytes []byte, needs func(byte) bool) []frame {
	t.Helper()
	intake := newIntake(strings.NewReader(string(bytes)), needs)
	var frames []frame
	for {
		next, ok, err := intake.next()
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			next.body = append([]byte(nil), next.body...)
			frames = append(frames, next)
			intake.pass()
			continue
		}
		if err := intake.flush(io.Discard); err != nil {
			t.Fatal(err)
		}
		if intake.fill() != nil {
			return frames
		}
	}
}

// message makes one message: its letter, then its body, `_` standing for a zero byte.
func message(letters string) []byte {
	return appendFrame(nil, letters[0], []byte(strings.ReplaceAll(letters[1:], "_", "\x00")))
}

// sequence plays a recorded exchange: `>` a worker's message, `<` the server's.
func (t *turns) sequence(test testing.TB, lines string) string {
	var said []string
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		line = strings.TrimSpace(line)
		needs, judge := requestsNeed, t.request
		if line[0] == '<' {
			needs, judge = answersNeed, t.answer
		}
		for _, f := range of(test, message(line[1:]), needs) {
			judged := judge(f)
			said = append(said, fmt.Sprintf("%c%s", f.kind, []string{"", "+", "?", "-", "!"}[judged]))
			if judged == ask && line[0] == '>' {
				t.forwarded()
			}
		}
	}
	return strings.Join(said, " ")
}

// The marks: nothing, kept back; + passes; ? a turn that asks the gate; - dropped; ! replaced.
func TestTurns(t *testing.T) {
	const prepared = ">Ps_update t set a = $1___\n<1\n"
	for _, c := range []struct{ what, lines, expected string }{
		{"a simple query", ">Qbegin_\n<CBEGIN_\n<ZT", "Q? C Z?"},
		{"an empty query", ">Q_\n<I\n<ZI", "Q+ I+ Z+"},
		{"a group", ">P_select 1___\n>B______\n>D\n>E_____\n>S\n<1\n<2\n<T\n<D\n<CSELECT 1_\n<ZI",
			"P B D E S? 1 2 T D C Z?"},
		{"Parse and Describe only", ">Ps_select 1___\n>DSs_\n>S\n<1\n<t__\n<n\n<ZI",
			"P D S+ 1+ t+ n+ Z+"},
		{"Parse flushed, then executed",
			">Ps_select 1___\n>H\n<1\n>B_s_____\n>E_____\n>S\n<2\n<CX_\n<ZI",
			"P H+ 1+ B E S? 2 C Z?"},
		{"Execute flushed", ">P_select 1___\n>B______\n>E_____\n>H\n<1\n<2\n<CSELECT 1_\n>S\n<ZI",
			"P B E H? 1+ 2+ C+ S+ Z?"},
		{"COPY in, simple", ">Qcopy t from stdin_\n<G\n>dx\n>c\n<CCOPY 1_\n<ZI", "Q? G+ d+ c+ C Z?"},
		{"COPY in, extended",
			">P_copy t from stdin___\n>B______\n>E_____\n>S\n<1\n<2\n<G\n>d\n>c\n>S\n" +
				"<CCOPY 1_\n<ZI\n>Qend_\n<CCOMMIT_\n<ZI", "P B E S? 1 2 G+ d+ c+ S+ C Z? Q? C Z?"},
		{"COPY in, extended, all at once",
			">P_copy t from stdin___\n>B______\n>E_____\n>S\n>d\n>c\n>S\n" +
				"<1\n<2\n<G\n<CCOPY 1_\n<ZI\n<N", "P B E S? d+ c+ S+ 1 2 G+ C Z? N+"},
		{"COPY refused", ">Qcopy nowhere from stdin_\n<EC42P01__\n<ZI", "Q? E Z?"},
		{"COPY out", ">Qcopy t to stdout_\n<H\n<d\n<c\n<CCOPY 1_\n<ZI", "Q? H d c C Z?"},
		{"between turns", "<A\n<N\n<S", "A+ N+ S+"},
		{"a notification within", ">Qselect 1_\n<A\n<CSELECT 1_\n<ZI", "Q? A C Z?"},
		{"two groups in a row", ">Qbegin_\n>Qcommit_\n<CBEGIN_\n<ZT\n<CCOMMIT_\n<ZI", "Q? Q? C Z? C Z?"},
		{"a function call", ">F\n<V\n<ZI", "F+ V+ Z+"},
		{"good-bye", ">X", "X+"},
		{"bare Sync", ">S\n<ZI", "S+ Z+"},
		{"prepared earlier", prepared + ">S\n<ZI\n>B_s_____\n>E_____\n>S\n<2\n<CUPDATE 0_\n<ZI",
			"P 1+ S+ Z+ B E S? 2 C Z?"},
	} {
		turns := newTurns(newReader(nil, nil))
		turns.sequence(t, "<ZI") // logged in
		if got := turns.sequence(t, c.lines); got != c.expected {
			t.Errorf("%s:\n  got      %s\n  expected %s", c.what, got, c.expected)
		}
		if len(turns.queue) != 0 {
			t.Errorf("%s: %d groups are still waited for", c.what, len(turns.queue))
		}
	}
}

func TestAFailedPartIsSkippedUntilItsSync(t *testing.T) {
	turns := newTurns(newReader(nil, nil))
	turns.sequence(t, "<ZI")
	for _, f := range of(t, append(message("P_select 1___"), message("E_____")...), requestsNeed) {
		turns.request(f)
	}
	if judged := turns.request(frame{kind: 'H'}); judged != ask {
		t.Fatalf("a flushed Execute is judged %d", judged)
	}
	instead := string(turns.failed("40001"))
	if !strings.HasPrefix(instead, "P") || !strings.HasSuffix(instead, "H\x00\x00\x00\x04") {
		t.Fatalf("instead of a flushed part the server is sent %q", instead)
	}
	if got := turns.sequence(t, "<EC42601__\n>B______\n>E_____\n>S\n<ZI"); got != "E! B+ E+ S+ Z+" {
		t.Errorf("got %s", got)
	}
}

// However the bytes are cut by the network, the frames and what is written are the same.
func TestIntakeDoesNotDependOnHowBytesArrive(t *testing.T) {
	var stream []byte
	for i := range 50 {
		stream = append(stream, message("D"+strings.Repeat("x", i*97))...)
		stream = append(stream, message("CSELECT 1_")...)
	}
	for name, source := range map[string]io.Reader{
		"whole": strings.NewReader(string(stream)),
		"bytes": iotest.OneByteReader(strings.NewReader(string(stream))),
		"half":  iotest.HalfReader(strings.NewReader(string(stream))),
	} {
		var out strings.Builder
		intake := newIntake(source, answersNeed)
		count := 0
		for {
			f, ok, err := intake.next()
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				if count++; f.kind == 'C' {
					intake.pass()
				}
				continue
			}
			if err := intake.flush(&out); err != nil {
				t.Fatal(err)
			}
			if intake.fill() != nil {
				break
			}
		}
		if count != 100 || out.String() != string(stream) {
			t.Errorf("%s: %d frames, %d bytes of %d", name, count, out.Len(), len(stream))
		}
	}
}

func TestALargeMessageIsSpilledAndComesBack(t *testing.T) {
	stream := append(message("Q"+strings.Repeat("y", 5*captureBound)+"_"), message("X")...)
	intake := newIntake(strings.NewReader(string(stream)), requestsNeed)
	var out strings.Builder
	for out.Len() < len(stream) {
		_, ok, err := intake.next()
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			for intake.incomplete() {
				if err := intake.fill(); err != nil {
					t.Fatal(err)
				}
				if len(intake.buffer) > bufferBound {
					t.Fatalf("%d bytes in memory", len(intake.buffer))
				}
			}
			intake.pass()
		} else if err := intake.flush(&out); err != nil {
			t.Fatal(err)
		} else if err := intake.fill(); err != nil && out.Len() < len(stream) {
			t.Fatal(err)
		}
	}
	if out.String() != string(stream) {
		t.Error("the bytes are not what they were")
	}
}
