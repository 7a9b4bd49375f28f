package strict_test

import (
	"time"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/strict"
)

// sample uses everything that the package decodes.
type sample struct {
	At       strict.Position
	Program  strict.Text              `key:"program,required" doc:"The program to run. Built once."`
	Kind     string                   `key:"kind" enum:"http,smtp" doc:"How it is reached."`
	State    string                   `key:"state"`
	Path     string                   `key:"path" pattern:"^/"`
	Nth      int                      `key:"nth" min:"1" max:"1000"`
	Big      int64                    `key:"big"`
	Accept   *bool                    `key:"accept"`
	Ratio    float64                  `key:"ratio"`
	Lease    time.Duration            `key:"lease" min:"1ms"`
	Tags     []string                 `key:"tags" min:"1" enum:"fast,slow"`
	Headers  map[string]string        `key:"headers"`
	Facts    strict.Map[nested]       `key:"facts"`
	Expected strict.Map[strict.Value] `key:"expected"`
	Row      *strict.Value            `key:"row"`
	Reply    *reply                   `key:"reply"`
	Steps    []step                   `key:"steps"`
	Subject  subject                  `key:"subject"`
	Inner    *sample                  `key:"inner" doc:"One inside itself."`
}

type nested struct {
	At       strict.Position `key:"-"`
	Database string          `key:"database"`
	SQL      string          `key:"sql,required" doc:"HTTP stays as it is: e.g. in SQL."`
}

type subject struct {
	common
	Fact    string        `key:"fact" one:"subject"`
	Journal string        `key:"journal" one:"subject"`
	Within  time.Duration `key:"within" most:"deadline"`
	Until   string        `key:"until" most:"deadline"`
}

type common struct {
	At   strict.Position
	Note string `key:"note"`
}

// reply is a word or a mapping.
type reply struct {
	Silence string
	Answer  answer
}

type answer struct {
	Status int `key:"status,required" doc:"HTTP status."`
}

var silences = []string{"hang", "reset"}

func (r *reply) DecodeStrict(c *strict.Context, node *yaml.Node) {
	if node.Kind == yaml.ScalarNode {
		r.Silence, _ = c.Word(node, "reply", silences)
		return
	}
	c.Decode(node, &r.Answer)
}

func (*reply) StrictSchema(g *strict.Generator) map[string]any {
	word := map[string]any{"enum": silences}
	return map[string]any{"oneOf": []any{word, g.Of(answer{})}}
}

// step is one key out of a list.
type step struct {
	At   strict.Position
	Name string
	Body any
}

type runStep struct {
	At      strict.Position
	Program strict.Text `key:"program,required" doc:"The program to run."`
}

type killStep struct {
	Worker string `key:"worker,required" doc:"The worker to kill."`
}

var stepKinds = []strict.Kind{
	{Name: "kill", Doc: "Ends a worker.", New: func() any { return new(killStep) }},
	{Name: "run", Doc: "Runs a program to its end.", New: func() any { return new(runStep) }},
}

func (s *step) DecodeStrict(c *strict.Context, node *yaml.Node) {
	s.At = c.PositionOf(node)
	s.Name, s.Body, _ = strict.DecodeOneKey(c, node, stepKinds)
}

func (*step) StrictSchema(g *strict.Generator) map[string]any { return g.OneKey(stepKinds) }
