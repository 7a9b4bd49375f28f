package strict_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lostreply/harness/strict"
)

// readTestdata reads a file beside the tests.
func readTestdata(t *testing.T, name string) []byte {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func TestEveryMistakeOfAFileIsToldAtOnce(t *testing.T) {
	problems := strict.Load("mistakes.yaml", readTestdata(t, "mistakes.yaml"), new(sample))
	want := string(readTestdata(t, "mistakes.txt"))
	if diff := cmp.Diff(want, problems.Error()+"\n"); diff != "" {
		t.Errorf("the messages differ (-want +got):\n%s", diff)
	}
}

func TestAFileWithoutMistakesIsDecodedWhole(t *testing.T) {
	var got sample
	if err := strict.Load("good.yaml", readTestdata(t, "good.yaml"), &got).Err(); err != nil {
		t.Fatal(err)
	}
	at := func(line, column int) strict.Position {
		return strict.Position{File: "good.yaml", Line: line, Column: column}
	}
	yes := true
	want := sample{
		At:      at(2, 1),
		Program: strict.Text{Value: "create", At: at(2, 10)},
		Kind:    "http", State: "5", Path: "/send", Nth: 3, Big: -9007199254740993,
		Accept: &yes, Ratio: 2, Lease: 3001 * time.Millisecond,
		Tags: []string{"fast", "slow"}, Headers: map[string]string{"y": "", "z": "no"},
		Facts: strict.Map[nested]{At: at(13, 8), Entries: []strict.Entry[nested]{
			{Name: "z", At: at(13, 9), Value: nested{At: at(13, 12), SQL: "select 1"}},
			{Name: "a", At: at(13, 31), Value: nested{At: at(13, 34), SQL: "select 2\n"}},
		}},
		Row:   &strict.Value{At: at(14, 6), Source: "null"},
		Reply: &reply{Silence: "hang"},
		Steps: []step{
			{At: at(17, 5), Name: "kill", Body: &killStep{Worker: "a"}},
			{At: at(18, 5), Name: "run", Body: &runStep{
				At: at(19, 7), Program: strict.Text{Value: "työ", At: at(19, 16)},
			}},
		},
		Subject: subject{common: common{Note: "n"}, Fact: "f", Within: 90 * time.Second},
		Inner: &sample{
			At: at(22, 3), Program: strict.Text{Value: "b", At: at(22, 12)},
			Reply: &reply{Answer: answer{Status: 200}},
		},
	}
	want.Subject.At = at(20, 10)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(subject{})); diff != "" {
		t.Errorf("the decoded file differs (-want +got):\n%s", diff)
	}
}

func TestFormIsCheckedBeforeContent(t *testing.T) {
	nested := func(depth int) string {
		return "a: " + strings.Repeat("[", depth) + strings.Repeat("]", depth)
	}
	for name, c := range map[string]struct{ source, want string }{
		"empty":         {"", "f:1:1: the file is empty: expected one YAML document"},
		"only comments": {"# x\n", "f:1:1: the file is empty: expected one YAML document"},
		"only a marker": {"---\n", "f:1:1: the file is empty: expected one YAML document"},
		"two documents": {"a: 1\n---\nb: 2\n",
			"f:3:1: a second YAML document: expected exactly one in a file"},
		"anchor and alias": {"a: &x 1\nb: *x\n",
			"f:1:4: anchors are not part of the language: write the value out where it is used\n" +
				"f:2:4: aliases are not part of the language: write the value out"},
		"alias to nothing": {"a: 1\nb: *x\n", "f:2:1: not YAML: unknown anchor 'x' referenced: " +
			"aliases are not part of the language: write the value out"},
		"alias as a key": {"? &x a\n: 1\n? *x\n: 2\n",
			"f:1:3: anchors are not part of the language: write the value out where it is used\n" +
				"f:3:3: aliases are not part of the language: write the value out"},
		"alias to itself": {"a: &x [*x]\n",
			"f:1:4: anchors are not part of the language: write the value out where it is used\n" +
				"f:1:8: aliases are not part of the language: write the value out"},
		"merge key": {"a: {<<: {b: 1}}\n",
			"f:1:5: merge keys are not part of the language: write the keys out"},
		"tag":      {"a: !!str 5\n", "f:1:4: tags are not part of the language: remove it"},
		"own tag":  {"é: !secret x\n", "f:1:4: tags are not part of the language: remove it"},
		"bare tag": {"é: ! 5\n", "f:1:4: tags are not part of the language: remove it"},
		"tagged map": {"a: !x {b: 1}\n",
			"f:1:4: tags are not part of the language: remove it"},
		"duplicate key": {"a: 1\nb: {c: 1, c: 2}\n\"a\": 2\n",
			"f:2:11: duplicate key \"c\": it is given first on line 2\n" +
				"f:3:1: duplicate key \"a\": it is given first on line 1"},
		"key that is a number": {"1: x\n",
			"f:1:1: expected text as a key, got number 1: quote it"},
		"key that is a list": {"? [a]\n: x\n", "f:1:3: expected text as a key, got a list"},
		"key that is nothing": {"?\n: x\n",
			"f:1:2: expected text as a key, got nothing"},
		"tab":          {"a:\n\tb: 1\n", "f:2:1: tab as indentation: use spaces"},
		"tab in flow":  {"a: {\n\tb: 1}\n", "f:2:1: tab as indentation: use spaces"},
		"latin 1":      {"a: 1\nb: \xe9\n", "f:2:1: not UTF-8 text"},
		"control sign": {"a: \x01\n", "f:1:1: not YAML: control characters are not allowed"},
		"unquoted colon": {"x: 1\na: b: c\n", notYAML(2,
			`mapping values are not allowed in this context: quote a text that holds ": "`)},
		"unclosed list": {"x: 1\na: [1\n", notYAML(2, "did not find expected ',' or ']'")},
		"bad indentation": {"a:\n  b: 1\n  c: 1\n d: 2\ne: 3\n", notYAML(4,
			"did not find expected key: check the indentation of this line")},
		"list, then key": {"- a\n- c\nb: 1\n", notYAML(3,
			"did not find expected '-' indicator: check the indentation of this line")},
		"template": {"a: 1\nb: @x\n", notYAML(2, "found character that cannot start any token: "+
			"quote a text that begins with one of @ ` % or a tab")},
		"nested too deep":  {nested(64), "f:1:67: nested more than 64 deep"},
		"nested very deep": {nested(300000), notYAML(1, "exceeded max depth of 10000")},
		"too large": {"a: " + strings.Repeat("x", 1<<20),
			"f:1:1: the file has 1048579 bytes: at most 1048576 are read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := strict.Parse("f", []byte(c.source))
			if err == nil {
				t.Fatalf("accepted; expected\n%s", c.want)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("the messages differ (-want +got):\n%s", diff)
			}
		})
	}
}

func notYAML(line int, why string) string {
	at := strict.Position{File: "f", Line: line, Column: 1}
	return strict.Problem{At: at, Message: "not YAML: " + why}.String()
}

func TestWhatLooksLikeABadFormIsAccepted(t *testing.T) {
	for name, source := range map[string]string{
		"tab within a block of text": "a: |\n  x\n  \ty\n",
		"tab in a comment's end":     "a: 1\t# x\n",
		"byte order mark":            "\ufeffa: 1\n",
		"Windows line ends":          "a: 1\r\nb:\r\n  c: 1\r\n",
		"end marker":                 "---\na: 1\n...\n",
		"exclamation in a text":      "a: x !y\nb: \"!z\"\nc: |\n  !w\n",
		"as deep as may be":          "a: " + strings.Repeat("[", 63) + strings.Repeat("]", 63),
		"yes as a key":               "yes: 1\ny: 2\n",
		"quoted merge key":           "\"<<\": 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			document, err := strict.Parse("f", []byte(source))
			if err != nil {
				t.Fatal(err)
			}
			if document.File() != "f" || document.Root() == nil {
				t.Errorf("the document is %+v", document)
			}
		})
	}
}

func TestAnAliasBombIsRefusedWithoutBeingExpanded(t *testing.T) {
	// Expanded, the last line would hold 10^9 times "lol"; refused, each alias is one problem.
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 lol\n")
	for i, name := range []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"} {
		earlier := "*a" + string(rune('0'+i))
		items := strings.TrimSuffix(strings.Repeat(earlier+", ", 10), ", ")
		bomb.WriteString(name + ": &" + name + " [" + items + "]\n")
	}
	var target struct {
		All strict.Map[strict.Value] `key:"all"`
	}
	problems := strict.Load("bomb", []byte("all:\n  "+
		strings.ReplaceAll(bomb.String(), "\n", "\n  ")), &target)
	if got, want := len(problems), 10+90; got != want {
		t.Errorf("%d problems, expected %d: one for each anchor and alias\n%s", got, want, problems)
	}
}
