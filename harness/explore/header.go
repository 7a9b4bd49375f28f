package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"lostreply/harness/lab"
)

// recordsVersion is that of the form of a file of records.
const recordsVersion = 1

// header says what a file of records is of. Records of two campaigns belong together only when
// theirs differ in nothing but the shard.
type header struct {
	Version int `json:"version"`
	// File is where the scenario was, from the folder in which the command ran.
	File     string `json:"file"`
	Scenario string `json:"scenario"`
	System   string `json:"system"`
	Variant  string `json:"variant,omitempty"`
	// Text names what the scenario does and checks.
	Text    string  `json:"text"`
	Options Options `json:"options"`
	// Made are digests of what the system is made of: files and built programs, by what they are.
	Made   map[string]string `json:"made"`
	Shard  int               `json:"shard,omitempty"`
	Shards int               `json:"shards,omitempty"`
}

// headerOf describes a campaign.
func headerOf(
	ctx context.Context, in *lab.Lab, w *workload, options Options,
) (header, error) {
	made, err := in.Fingerprints(ctx, w.scenario)
	if err != nil {
		return header{}, err
	}
	return header{
		Version: recordsVersion, File: w.scenario.File, Scenario: w.scenario.Name(),
		System: w.scenario.Under.Name.Value, Variant: w.variant, Text: w.scenario.Version,
		Options: options, Made: made, Shard: options.Shard, Shards: options.Shards,
	}, nil
}

// byName are the options that a header holds, as text.
func (o Options) byName() map[string]string {
	text, err := json.Marshal(o)
	values := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	named := map[string]string{}
	for name, value := range values {
		named[name] = string(value)
	}
	if err != nil { // not of a struct of numbers and texts
		named["all"] = err.Error()
	}
	return named
}

// differences are what keeps two headers' records from belonging together, shards apart: a line
// each, in a fixed order.
func (h header) differences(now header) []string {
	var lines []string
	differ := func(what, then, now string) {
		if then != now {
			lines = append(lines, fmt.Sprintf("%s: %s then, %s now", what, orNone(then), orNone(now)))
		}
	}
	differ("scenario", h.Scenario, now.Scenario)
	differ("system", h.System, now.System)
	differ("variant", h.Variant, now.Variant)
	differ("what the scenario does", h.Text, now.Text)
	options, optionsNow := h.Options.byName(), now.Options.byName()
	for _, name := range keysOf(options, optionsNow) {
		differ("option "+name, options[name], optionsNow[name])
	}
	for _, name := range keysOf(h.Made, now.Made) {
		differ(name, h.Made[name], now.Made[name])
	}
	return lines
}

// shard is the part of the campaign that the records are of.
func (h header) shard() string {
	if h.Shards == 0 {
		return "all"
	}
	return fmt.Sprintf("%d/%d", h.Shard, h.Shards)
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func keysOf(both ...map[string]string) []string {
	all := map[string]bool{}
	for _, each := range both {
		for key := range each {
			all[key] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
