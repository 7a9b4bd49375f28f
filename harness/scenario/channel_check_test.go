package scenario_test

import (
	"strings"
	"testing"

	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

func push() scenario.Channel {
	return scenario.Channel{
		Kind:    "http",
		Request: scenario.Request{Method: "POST", Path: "/send"},
		Key:     &scenario.Key{Header: "Idempotency-Key", Replays: true},
	}
}

func sms() scenario.Channel {
	return scenario.Channel{
		Kind:    "http",
		Request: scenario.Request{Method: "POST", Path: "/send"},
		Ref:     &scenario.Ref{JSON: "/ref"},
		Query:   &scenario.Query{Method: "GET", Path: "/messages"},
	}
}

func pointer[T any](value T) *T { return &value }

func answering(answer scenario.ScriptedAnswer) *scenario.Reply {
	return &scenario.Reply{Answer: answer}
}

// expectProblems compares the messages of problems, one a line, with a text that each must hold.
func expectProblems(t *testing.T, found strict.Problems, want ...string) {
	t.Helper()
	if len(found) != len(want) {
		t.Errorf("%d problems, want %d:\n%v", len(found), len(want), found)
		return
	}
	for i, problem := range found {
		if !strings.Contains(problem.Message, want[i]) {
			t.Errorf("problem %q, want %q", problem.Message, want[i])
		}
	}
}

func TestCheckContract(t *testing.T) {
	tests := []struct {
		name   string
		change func(*scenario.Channel)
		want   []string
	}{
		{"right", func(*scenario.Channel) {}, nil},
		{"path", func(c *scenario.Channel) { c.Request.Path = "send" },
			[]string{`request: path "send" must begin with /`}},
		{"path with parameters", func(c *scenario.Channel) { c.Query.Path = "/messages?ref=" },
			[]string{`query: path "/messages?ref="`}},
		{"escaped path", func(c *scenario.Channel) { c.Request.Path = "/a%20b" },
			[]string{`request: path "/a%20b"`}},
		{"method", func(c *scenario.Channel) { c.Request.Method = "post" },
			[]string{`request: "post" is no HTTP method`}},
		{"key header", func(c *scenario.Channel) { c.Key = &scenario.Key{Header: "a b"} },
			[]string{`key: "a b" can't be the name of a header`}},
		{"two refs", func(c *scenario.Channel) { c.Ref.Header = "X-Ref" },
			[]string{"ref: exactly one of json, header and query says where it is; got 2"}},
		{"no place for a ref", func(c *scenario.Channel) { c.Query.Ref = &scenario.Ref{} },
			[]string{"ref: exactly one of json, header and query says where it is; got 0"}},
		{"pointer", func(c *scenario.Channel) { c.Ref.JSON = "ref" },
			[]string{`JSON Pointer "ref" must begin with /`}},
		{"escape of a pointer", func(c *scenario.Channel) { c.Ref.JSON = "/a~2" },
			[]string{"~ must be written ~0"}},
		{"request's name in a query", func(c *scenario.Channel) {
			c.Query.Answer = &scenario.Answer{Body: "${id}"}
		}, []string{"query: answer: body: "}},
		{"unknown name", func(c *scenario.Channel) {
			c.Request.Answer = &scenario.Answer{Body: "${idd}"}
		}, []string{"${id}"}},
		{"ref without a ref", func(c *scenario.Channel) {
			c.Ref, c.Query, c.Request.Answer = nil, nil, &scenario.Answer{Body: "${ref}"}
		}, []string{"${ref}"}},
		{"status", func(c *scenario.Channel) { c.Request.Answer = &scenario.Answer{Status: 100} },
			[]string{"request: answer: status 100 is not from 200 to 599"}},
		{"header", func(c *scenario.Channel) {
			c.Request.Answer = &scenario.Answer{Headers: map[string]string{"content-length": "7"}}
		}, []string{"header Content-Length is the channel's own"}},
		{"body of a 204", func(c *scenario.Channel) {
			c.Request.Answer = &scenario.Answer{Status: 204, Body: "x"}
		}, []string{"status 204 never has a body"}},
		{"one call for both", func(c *scenario.Channel) {
			c.Query.Method, c.Query.Path = "POST", "/send"
		}, []string{"request and query are both POST /send"}},
		{"log's path", func(c *scenario.Channel) { c.Log = &scenario.Log{Path: "log"} },
			[]string{`log: path "log" must begin with /`}},
		{"log and query", func(c *scenario.Channel) { c.Log = &scenario.Log{Path: "/messages"} },
			[]string{"log: GET /messages is the channel's request or query already"}},
		{"log beside a POST", func(c *scenario.Channel) { c.Log = &scenario.Log{Path: "/send"} }, nil},
		{"query without a ref", func(c *scenario.Channel) { c.Ref = nil },
			[]string{"a query asks by ref"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			contract := sms()
			test.change(&contract)
			expectProblems(t, scenario.CheckContract(contract), test.want...)
		})
	}
}

// scriptTest is a script beside what is wrong with it under a contract that has all there is.
type scriptTest struct {
	name   string
	script []scenario.Entry
	want   []string
}

// place gives each entry and its reply the place that the decoder would have given them.
func place(script []scenario.Entry) {
	for i := range script {
		script[i].At.Line = i + 1
		if script[i].Reply != nil {
			script[i].Reply.At.Line = i + 1
		}
	}
}

func expectScripts(t *testing.T, tests []scriptTest) {
	t.Helper()
	contract := sms()
	contract.Key = &scenario.Key{Header: "Idempotency-Key"}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			place(test.script)
			expectProblems(t, scenario.CheckScript(contract, test.script), test.want...)
		})
	}
}

func TestCheckScriptFindsSelectorsThatMeanNothing(t *testing.T) {
	expectScripts(t, []scriptTest{
		{"nothing selected", []scenario.Entry{{}}, []string{"which calls is this entry for?"}},
		{"request and query", []scenario.Entry{{Request: 1, Query: 1}}, []string{"not for both"}},
		{"query by key", []scenario.Entry{{Query: 1, Key: "k"}}, []string{"queries carry no key"}},
		{"below 1", []scenario.Entry{{Request: -1}}, []string{"calls are counted from 1"}},
		{"otherwise and more", []scenario.Entry{{Otherwise: "any", Ref: "r"}},
			[]string{"otherwise stands alone"}},
	})
	script := []scenario.Entry{{Query: 1}, {Otherwise: "query"}, {Ref: "r"}, {Otherwise: "any"}}
	place(script)
	expectProblems(t, scenario.CheckScript(push(), script),
		"contract has no query", "contract has no query", "contract has no ref")
	expectProblems(t, scenario.CheckScript(sms(), []scenario.Entry{{Key: "k"}}), "contract has no key")
}

func TestCheckScriptFindsEntriesThatNoCallCanMeet(t *testing.T) {
	expectScripts(t, []scriptTest{
		{"in order", []scenario.Entry{{Request: 1}, {Request: 2}, {Query: 1}, {Otherwise: "any"}}, nil},
		{"twice", []scenario.Entry{{Request: 2}, {Request: 1}, {Request: 2}},
			[]string{"no call can meet this entry: the entry at line 1 takes them all"}},
		{"nth of a ref after nth of all", []scenario.Entry{{Request: 1}, {Request: 1, Ref: "r"}}, nil},
		{"nth of a ref after the ref", []scenario.Entry{{Ref: "r"}, {Request: 2, Ref: "r"}},
			[]string{"the entry at line 1 takes them all"}},
		{"ref after nth of it", []scenario.Entry{{Request: 2, Ref: "r"}, {Ref: "r"}}, nil},
		{"another ref", []scenario.Entry{{Ref: "r"}, {Query: 1, Ref: "s"}}, nil},
		{"key and ref after key", []scenario.Entry{{Key: "k"}, {Key: "k", Ref: "r"}},
			[]string{"the entry at line 1 takes them all"}},
		{"otherwise first", []scenario.Entry{{Otherwise: "any"}, {Request: 1}}, nil},
		{"otherwise twice", []scenario.Entry{{Otherwise: "any"}, {Otherwise: "query"}},
			[]string{"the entry at line 1 takes them all"}},
		{"nothing left for any", []scenario.Entry{
			{Otherwise: "query"}, {Otherwise: "request"}, {Otherwise: "any"},
		}, []string{"the entry at line 2 takes them all"}},
	})
}

func TestCheckScriptDemandsThatAcceptanceIsSaid(t *testing.T) {
	refusing := answering(scenario.ScriptedAnswer{Status: 503})
	accept, refuse := pointer(true), pointer(false)
	expectScripts(t, []scriptTest{
		{"status alone", []scenario.Entry{{Request: 1, Reply: refusing}},
			[]string{"say accept: true or accept: false: status 503"}},
		{"before", []scenario.Entry{{Request: 1, Accept: refuse, Reply: refusing}}, nil},
		{"after", []scenario.Entry{{Request: 1, Accept: accept, Reply: refusing}}, nil},
		{"of a query", []scenario.Entry{{Query: 1, Reply: refusing}}, nil},
		{"nothing said", []scenario.Entry{{Request: 1, Accept: refuse}},
			[]string{"accept: false needs a reply"}},
		{"silence", []scenario.Entry{
			{Request: 1, Accept: refuse, Reply: &scenario.Reply{Silence: scenario.Hang}},
		}, nil},
		{"a lie", []scenario.Entry{{Request: 1, Accept: refuse,
			Reply: answering(scenario.ScriptedAnswer{Body: pointer("accepted")})}}, nil},
		{"a lie with an id", []scenario.Entry{{Request: 1, Accept: refuse,
			Reply: answering(scenario.ScriptedAnswer{Body: pointer("${id}")})}},
			[]string{"reply: body: "}},
		{"accepting a query", []scenario.Entry{{Query: 1, Accept: accept}},
			[]string{"a query accepts nothing"}},
	})
}

func TestCheckScriptFindsRepliesThatCannotBeGiven(t *testing.T) {
	reply := func(answer scenario.ScriptedAnswer) []scenario.Entry {
		return []scenario.Entry{{Request: 1, Accept: pointer(true), Reply: answering(answer)}}
	}
	expectScripts(t, []scriptTest{
		{"status", reply(scenario.ScriptedAnswer{Status: 99}), []string{"status 99 is not from 200"}},
		{"delay", reply(scenario.ScriptedAnswer{AfterMilli: -1}), []string{"after_ms -1"}},
		{"both parts", reply(scenario.ScriptedAnswer{Truncate: pointer(0), Stall: pointer(0)}),
			[]string{"truncate or stall, not both"}},
		{"negative part", reply(scenario.ScriptedAnswer{Stall: pointer(-1)}),
			[]string{"stall -1 is less than 0"}},
		{"part beyond", reply(scenario.ScriptedAnswer{Body: pointer("ab"), Truncate: pointer(3)}),
			[]string{"truncate 3 is beyond the body, which has 2 bytes"}},
		{"part of nothing", reply(scenario.ScriptedAnswer{Status: 204, Stall: pointer(0)}),
			[]string{"stall has nothing to cut"}},
		{"body of a 204", reply(scenario.ScriptedAnswer{Status: 204, Body: pointer("x")}),
			[]string{"status 204 never has a body"}},
		{"name of a query", reply(scenario.ScriptedAnswer{Body: pointer("${ids}")}),
			[]string{"reply: body: "}},
		{"header", reply(scenario.ScriptedAnswer{Headers: map[string]string{"A b": "x", "C": "a\nb"}}),
			[]string{`"A b" can't be the name`, "header C holds a line break"}},
		{"all right", reply(scenario.ScriptedAnswer{
			Status: 201, Body: pointer("${id} ${replayed} ${ref}"), Truncate: pointer(90),
		}), nil},
	})
}
