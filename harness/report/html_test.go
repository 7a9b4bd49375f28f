package report_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"lostreply/harness/check"
	"lostreply/harness/report"
)

// element is one element of a page, with its attributes.
type element struct {
	name       string
	attributes map[string]string
}

// elements reads a page, which is written so that a reader of XML can tell whether every element is
// closed.
func elements(t *testing.T, page string) []element {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(page))
	decoder.Entity = xml.HTMLEntity
	var all []element
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v\n%s", err, page)
		}
		if start, is := token.(xml.StartElement); is {
			attributes := map[string]string{}
			for _, each := range start.Attr {
				attributes[each.Name.Local] = each.Value
			}
			all = append(all, element{start.Name.Local, attributes})
		}
	}
}

// TestHTMLStandsAlone makes sure that the page needs nothing else, that its links lead somewhere,
// and that a reader who sees nothing can find the way: a language, one main, a heading for each
// result, captions and headers of tables.
func TestHTMLStandsAlone(t *testing.T) {
	page := written(t, "html", sampleEnd, sample()...)
	ids, count := map[string]bool{}, map[string]int{}
	all := elements(t, page)
	for _, each := range all {
		count[each.name]++
		if id := each.attributes["id"]; id != "" {
			if ids[id] {
				t.Errorf("two elements are called %s", id)
			}
			ids[id] = true
		}
	}
	for _, each := range all {
		for name, value := range each.attributes {
			fragment, within := strings.CutPrefix(value, "#")
			switch {
			case name == "src", name == "href" && !within:
				t.Errorf("%s needs %s", each.name, value)
			case name == "href" && !ids[fragment], name == "aria-labelledby" && !ids[value]:
				t.Errorf("%s leads to %s, which is not there", each.name, value)
			case each.name == "th" && name == "scope" && value != "col" && value != "row":
				t.Errorf("a header of a table has the scope %s", value)
			}
		}
		if each.name == "th" && each.attributes["scope"] == "" {
			t.Error("a header of a table has no scope")
		}
	}
	if all[0].attributes["lang"] != "en" || count["main"] != 1 || count["h1"] != 1 ||
		count["section"] != len(sample()) || count["table"] != count["caption"] ||
		count["script"]+count["link"]+count["img"] > 0 {
		t.Errorf("the page holds %v", count)
	}
}

// TestHTMLShowsDifferences marks what is missing and what there is instead, and puts what did not
// pass before what did.
func TestHTMLShowsDifferences(t *testing.T) {
	bad := failed()
	bad.Entries[0].Line.Difference = []string{"- expected, + actual:", "- at 1: <a>", "+ at 1: b"}
	bad.Judge()
	good := passed()
	good.Judge()
	page := written(t, "html", report.End{}, good, bad)
	for _, want := range []string{
		"<del>- at 1: &lt;a&gt;</del>", "<ins>&#43; at 1: b</ins>", "<td class=\"fail\">fail</td>",
		"<code>push#1 response</code>", "last lines of worker w1:",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %s:\n%s", want, page)
		}
	}
	if strings.Index(page, "S2[mode=a,b]") > strings.Index(page, ">S1<") {
		t.Error("what passed comes first")
	}
	if strings.Contains(page, "<del>- expected, + actual:") {
		t.Error("the heading of a difference is marked as one")
	}
	if !strings.Contains(written(t, "html", report.End{NotRun: 2}), check.Inconclusive.String()) {
		t.Error("a run of nothing is not inconclusive")
	}
}
