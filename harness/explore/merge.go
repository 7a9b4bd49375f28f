package explore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"lostreply/harness/lab"
	"lostreply/harness/scenario"
)

// ErrNotWhole is what records end with that are not those of one whole exploration; its text says
// what is missing, there twice or of another exploration.
var ErrNotWhole = errors.New("the parts do not make a whole")

// Parts are the records of one scenario's exploration, of all its shards.
type Parts struct {
	// File is where the scenario was, and Scenario its name there.
	File, Scenario string

	header header
	read   map[int]contents // by shard
	files  map[int]string
}

// ReadParts reads the records below folders, and sorts them by what they are of, in the order in
// which that comes. Each exploration must be there whole and once, or the error is ErrNotWhole.
func ReadParts(folders []string) ([]*Parts, error) {
	var all []*Parts
	for _, folder := range folders {
		files, err := recordsBelow(folder)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			read, err := readRecords(file)
			if err != nil {
				return nil, err
			}
			if read.whole == 0 {
				return nil, fmt.Errorf("%w: %s is empty", ErrNotWhole, file)
			}
			if err := add(&all, file, read); err != nil {
				return nil, err
			}
		}
	}
	for _, each := range all {
		if err := each.whole(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// recordsBelow are the files of records in a folder and those below it, sorted.
func recordsBelow(folder string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, RecordsSuffix) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for the records of explorations: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w: no records of an exploration (*%s) in %s", ErrNotWhole,
			RecordsSuffix, folder)
	}
	return files, nil
}

// add puts the records of a shard to those of the same scenario.
func add(all *[]*Parts, file string, read contents) error {
	if read.header.Options.Walk != 0 {
		return fmt.Errorf("%w: %s is of a random walk (--budget, --seed %d), which has no end and so no "+
			"parts: look at what each walk has printed, and give --expect to each", ErrNotWhole, file,
			read.header.Options.Walk)
	}
	at := slices.IndexFunc(*all, func(p *Parts) bool {
		return p.Scenario == read.header.Scenario && p.header.System == read.header.System &&
			p.header.Variant == read.header.Variant
	})
	if at < 0 {
		*all = append(*all, &Parts{
			File: read.header.File, Scenario: read.header.Scenario, header: read.header,
			read: map[int]contents{}, files: map[int]string{},
		})
		at = len(*all) - 1
	}
	p := (*all)[at]
	differences := p.header.differences(read.header)
	if p.header.Shards != read.header.Shards {
		differences = append(differences,
			fmt.Sprintf("shards: %s, and %s", p.header.shard(), read.header.shard()))
	}
	if len(differences) > 0 {
		return fmt.Errorf("%w: %s and the records before it are of two explorations:\n  %s",
			ErrNotWhole, file, strings.Join(differences, "\n  "))
	}
	if earlier, twice := p.files[read.header.Shard]; twice {
		return fmt.Errorf("%w: shard %s of %s is there twice: %s and %s", ErrNotWhole,
			read.header.shard(), p.Scenario, earlier, file)
	}
	p.read[read.header.Shard], p.files[read.header.Shard] = read, file
	return nil
}

// whole tells whether every shard is there and has recorded what happens without a fault.
func (p *Parts) whole() error {
	var missing []string
	for shard := 1; shard <= p.header.Shards; shard++ {
		if _, there := p.read[shard]; !there {
			missing = append(missing, fmt.Sprintf("%d/%d", shard, p.header.Shards))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w: of %s, shard %s is missing", ErrNotWhole, p.Scenario,
			strings.Join(missing, " and "))
	}
	for _, shard := range slices.Sorted(maps.Keys(p.read)) {
		if p.read[shard].recorded == nil {
			return fmt.Errorf("%w: %s ends before its first outcome: go on with it by explore --resume",
				ErrNotWhole, p.files[shard])
		}
		if !reflect.DeepEqual(p.read[shard].recorded, p.anyOf().recorded) {
			return fmt.Errorf("%w: without a fault, %s does other things in %s than in other shards: "+
				"the workload does not repeat", ErrNotWhole, p.Scenario, p.files[shard])
		}
	}
	return nil
}

// anyOf is what stands in the records of the first shard.
func (p *Parts) anyOf() contents { return p.read[slices.Min(slices.Collect(maps.Keys(p.read)))] }

// Merge is the report of the whole exploration of a scenario by the records of its shards: the same
// as that of one that was not shared out. Nothing is run; the scenarios that show what was found
// are written below out.
func (p *Parts) Merge(ctx context.Context, s *scenario.Scenario, out string) (Report, error) {
	options := p.header.Options
	options.Variant, options.Out = p.header.Variant, out
	workload, err := load(s, options)
	if err != nil {
		return Report{}, err
	}
	system, err := lab.Digest(s.Under.File)
	if err != nil {
		return Report{}, fmt.Errorf("merge %s: %w", s.Name(), err)
	}
	if then := p.header.Made[lab.SystemFilePrint]; then != system || p.header.Text != s.Version {
		return Report{}, fmt.Errorf("%w: %s or %s is not what was explored: merge where it was",
			ErrNotWhole, s.File, s.Under.File)
	}
	c := &campaign{options: options, workload: workload, keeper: p.joined(), shards: p.header.Shards}
	return c.explored(ctx)
}

// joined is a keeper that knows what the records of all shards hold.
func (p *Parts) joined() keeper {
	all := contents{
		outcomes: map[string]outcome{}, sources: map[string][]byte{}, recorded: p.anyOf().recorded,
	}
	for _, read := range p.read {
		maps.Copy(all.outcomes, read.outcomes)
		maps.Copy(all.sources, read.sources)
	}
	return &readOnly{contents: all}
}

// readOnly is a keeper that knows, and takes nothing.
type readOnly struct{ contents }

func (*readOnly) keep(outcome) error         { return nil }
func (*readOnly) survey(survey) error        { return nil }
func (*readOnly) write(string, []byte) error { return nil }
func (*readOnly) ended(string) error         { return nil }

// missing is the error of a schedule that no record holds.
func (c *campaign) missing(s schedule) error {
	part := "the exploration"
	if c.shards > 0 {
		part = fmt.Sprintf("shard %d/%d", s.share%c.shards+1, c.shards)
	}
	return fmt.Errorf("%w: %s did not come to its end, there is no %s: go on with it by explore "+
		"--resume", ErrNotWhole, part, s)
}
