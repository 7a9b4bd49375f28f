package wire

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"lostreply/harness/event"
)

// statement is what is known of one SQL statement, judged once for each text.
type statement struct {
	Statement
	matches []Match
	effect  event.Effect
	commits bool // it is a COMMIT
	ends    bool // it ends the transaction, either way
	hidden  bool // its answer does not tell what it changed
	ignored bool // a ping of the driver or pool
}

// script is the statements of one text: those of a simple Query, or the one of a Parse.
type script struct {
	statements []*statement
	label      string
	names      []string // of the events that need no parameters
	asksParams bool     // some event needs them
	cutOff     bool     // the text is longer than what was looked at
	unseen     bool     // the text was never seen
}

// isTurn tells whether to execute the script is a turn: it has a statement, and not only pings.
func (s *script) isTurn() bool {
	for _, own := range s.statements {
		if !own.ignored {
			return true
		}
	}
	return s.cutOff || s.unseen
}

const (
	// scriptsKept and scriptBound are how many texts are remembered, and up to which length.
	scriptsKept = 4096
	scriptBound = 16 << 10
	// labelsShown is how many statements of a batch a label spells out.
	labelsShown = 4
)

// reader judges texts and remembers its judgements; the connections of a listener share it.
type reader struct {
	namer  Namer
	ignore map[string]bool
	mutex  sync.RWMutex
	known  map[string]*script
	times  atomic.Bool // points in time are looked for among parameters
}

func newReader(namer Namer, ignore []string) *reader {
	r := &reader{namer: namer, ignore: map[string]bool{}, known: map[string]*script{}}
	for _, text := range ignore {
		r.ignore[pingForm(text)] = true
	}
	return r
}

func pingForm(text string) string {
	return strings.ToLower(strings.TrimRight(fold(text), "; "))
}

// read judges a text. A text that was cut off is judged by its beginning.
func (r *reader) read(text []byte, cutOff bool) *script {
	if len(text) > scriptBound || cutOff {
		return r.judge(string(text), cutOff)
	}
	r.mutex.RLock()
	known := r.known[string(text)]
	r.mutex.RUnlock()
	if known != nil {
		return known
	}
	known = r.judge(string(text), false)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.known) < scriptsKept {
		r.known[string(text)] = known
	}
	return known
}

func (r *reader) judge(text string, cutOff bool) *script {
	judged := &script{cutOff: cutOff}
	for _, piece := range splitStatements(text) {
		judged.statements = append(judged.statements, r.judgeStatement(piece))
	}
	var labels labels
	for _, own := range judged.statements {
		labels.add(own.Label)
		for _, match := range own.matches {
			if len(match.Params) > 0 {
				judged.asksParams = true
			} else if !slices.Contains(judged.names, match.Name) {
				judged.names = append(judged.names, match.Name)
			}
		}
	}
	judged.label = labels.String()
	return judged
}

func (r *reader) judgeStatement(piece piece) *statement {
	seen := see(piece.tokens)
	own := &statement{
		Statement: Statement{Text: piece.text, Label: seen.label, Command: seen.command},
		commits:   seen.command == "COMMIT" || seen.command == "COMMIT PREPARED",
		effect:    piece.effect,
		hidden:    seen.hidden,
		ignored:   r.ignore[pingForm(piece.text)],
	}
	own.ends = own.commits || seen.label == "rollback"
	if own.commits {
		own.matches = append(own.matches, Match{Name: event.CommitName})
	}
	if r.namer != nil {
		own.matches = append(own.matches, r.namer.Matches(own.Statement)...)
	}
	return own
}

// labels joins the labels of a turn's statements; a long batch is cut short.
type labels struct {
	text  string
	count int
	last  string
}

func (l *labels) add(label string) {
	l.count++
	switch {
	case l.count == 1:
		l.text = label
	case label != l.last && l.count <= labelsShown:
		l.text += "; " + label
	}
	l.last = label
}

// String is the joined label.
func (l *labels) String() string {
	if l.count > labelsShown {
		return l.text + "; ..."
	}
	return l.text
}
