package explore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// RecordsSuffix ends the names of the files of records: one for each scenario, in the folder of its
// system below Options.Out.
const RecordsSuffix = ".records.jsonl"

// record is one line of a file of records: exactly one of its fields is set. The first is the
// campaign, the second the survey; then each outcome as its run is done and each scenario that is
// written; the last, of a campaign that came to its end, is that.
type record struct {
	Campaign *header       `json:"campaign,omitempty"`
	Survey   *storedSurvey `json:"survey,omitempty"`
	Outcome  *outcome      `json:"outcome,omitempty"`
	Written  *writtenDown  `json:"written,omitempty"`
	End      *end          `json:"end,omitempty"`
}

// writtenDown is the scenario that shows what a schedule found.
type writtenDown struct {
	ID     string `json:"id"`
	Source string `json:"source"`
}

// end is what a whole campaign, or one shard of it, came to.
type end struct {
	Outcome string `json:"outcome"`
}

// contents are what is read of a file of records.
type contents struct {
	header   header
	recorded *storedSurvey
	outcomes map[string]outcome
	sources  map[string][]byte
	// whole is how many bytes hold whole lines. What follows was being written when its writer died.
	whole int64
}

// recordsName is what the file of a workload's records is called: builds are kept apart.
func (w *workload) recordsName() string {
	name := w.scenario.FileName()
	if w.variant != "" {
		name += "." + w.variant
	}
	return name + RecordsSuffix
}

// readRecords reads a file of records. A last line that is torn is passed over; any other that
// can't be read is an error.
func readRecords(file string) (contents, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return contents{}, fmt.Errorf("read the records of an exploration: %w", err)
	}
	read := contents{outcomes: map[string]outcome{}, sources: map[string][]byte{}}
	for number := 1; ; number++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			break
		}
		var each record
		if err := json.Unmarshal(line, &each); err != nil {
			return contents{}, fmt.Errorf("%s:%d: no record of an exploration: %w", file, number, err)
		}
		if err := read.take(each, number); err != nil {
			return contents{}, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		read.whole += int64(len(line)) + 1
		text = rest
	}
	if read.header.Version == 0 && read.whole > 0 {
		return contents{}, fmt.Errorf("%s: it does not begin with a campaign", file)
	}
	return read, nil
}

func (c *contents) take(r record, number int) error {
	switch {
	case r.Campaign != nil && number == 1:
		c.header = *r.Campaign
		if c.header.Version != recordsVersion {
			return fmt.Errorf("records of version %d: this lostreply reads version %d",
				c.header.Version, recordsVersion)
		}
	case number == 1 || r.Campaign != nil:
		return errors.New("the campaign stands in the first line, and there alone")
	case r.Survey != nil:
		c.recorded = r.Survey
	case r.Outcome != nil:
		c.outcomes[r.Outcome.ID] = *r.Outcome
	case r.Written != nil:
		c.sources[r.Written.ID] = []byte(r.Written.Source)
	case r.End == nil:
		return errors.New("no record of an exploration: it is neither of survey, outcome, written, end")
	}
	return nil
}

// records is the keeper that writes a file of records, and knows what stood in it.
type records struct {
	contents
	lock  *flock.Flock
	mutex sync.Mutex // of the file
	file  *os.File
}

// openRecords begins a file of records for a campaign. With resume, what stands in it is known, and
// must be of the same campaign; without, it is written anew. Nobody else may write it meanwhile.
func openRecords(path string, now header, resume bool) (_ *records, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("keep the outcomes: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("keep the outcomes: %w", err)
	}
	r := &records{file: file, lock: flock.New(path)}
	defer func() {
		if err != nil {
			_ = r.close()
		}
	}()
	mine, err := r.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("keep the outcomes: lock %s: %w", path, err)
	}
	if !mine {
		return nil, fmt.Errorf("keep the outcomes in %s: another exploration writes there now: give "+
			"this one a folder of its own with --out", path)
	}
	if resume {
		if r.contents, err = readRecords(path); err != nil {
			return nil, err
		}
	}
	if err := file.Truncate(r.whole); err != nil {
		return nil, fmt.Errorf("keep the outcomes: %w", err)
	}
	if r.whole == 0 {
		return r, r.append(record{Campaign: &now})
	}
	then := r.header
	differences := then.differences(now)
	if then.shard() != now.shard() {
		differences = append(differences,
			fmt.Sprintf("shard: %s then, %s now", then.shard(), now.shard()))
	}
	if len(differences) > 0 {
		return nil, fmt.Errorf("%w: what %s holds is of another exploration, and can't be gone on "+
			"with:\n  %s\nstart anew, without --resume", ErrRefused, path, strings.Join(differences, "\n  "))
	}
	return r, nil
}

// append writes a line at once: whoever dies later loses nothing of it.
func (r *records) append(each record) error {
	line, err := json.Marshal(each)
	if err != nil {
		return fmt.Errorf("keep an outcome: %w", err)
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if _, err := r.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep an outcome: %w", err)
	}
	return nil
}

// close lets go of the file.
func (r *records) close() error { return errors.Join(r.lock.Close(), r.file.Close()) }

func (r *records) keep(o outcome) error { return r.append(record{Outcome: &o}) }

func (r *records) survey(s survey) error {
	stored, err := s.stored()
	if err != nil {
		return err
	}
	return r.append(record{Survey: &stored})
}

func (r *records) write(id string, source []byte) error {
	return r.append(record{Written: &writtenDown{id, string(source)}})
}

func (r *records) ended(outcome string) error { return r.append(record{End: &end{outcome}}) }

func (c *contents) known(id string) (outcome, bool) {
	o, known := c.outcomes[id]
	return o, known
}

func (c *contents) written(id string) ([]byte, bool) {
	source, known := c.sources[id]
	return source, known
}

func (c *contents) surveyed() (survey, bool, error) {
	if c.recorded == nil {
		return survey{}, false, nil
	}
	s, err := c.recorded.survey()
	return s, err == nil, err
}
