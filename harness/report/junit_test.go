package report_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"lostreply/harness/report"
)

// TestJUnitKeepsJenkinsSchema validates against the schema of Jenkins's xunit plugin (its
// junit-10.xsd, MIT licence), and refuses documents that break it.
func TestJUnitKeepsJenkinsSchema(t *testing.T) {
	schema := readXSD(t, "testdata/junit-10.xsd")
	text := written(t, "junit", sampleEnd, sample()...)
	if problems := schema.validate(text); len(problems) > 0 {
		t.Errorf("%s\n%s", strings.Join(problems, "\n"), text)
	}
	trouble := written(t, "junit", report.End{Trouble: "no PostgreSQL"})
	if problems := schema.validate(trouble); len(problems) > 0 {
		t.Errorf("%s\n%s", strings.Join(problems, "\n"), trouble)
	}
	for _, change := range [][2]string{
		{`<testcase name="S1"`, `<testcase`}, {`name="S1"`, `name="S1" file="S1.yaml"`},
		{`time="1.500"`, `time="1.5 s"`}, {`<skipped `, `<skip `}, {`</skipped>`, `</skip>`},
		{`</testsuites>`, `lost</testsuites>`},
	} {
		wrong := strings.Replace(text, change[0], change[1], 1)
		if wrong == text {
			t.Fatalf("the report has no %s", change[0])
		}
		if len(schema.validate(wrong)) == 0 {
			t.Errorf("the schema accepts %s in place of %s", change[1], change[0])
		}
	}
}

// xsd is as much of an XML Schema as junit-10.xsd uses: elements with attributes, children in any
// order, text.
type xsd struct {
	elements map[string]xsdElement
	patterns map[string]*regexp.Regexp // of simple types
}

type xsdElement struct {
	Name    string      `xml:"name,attr"`
	Type    string      `xml:"type,attr"`
	Complex *xsdComplex `xml:"complexType"`
}

type xsdComplex struct {
	Mixed      bool           `xml:"mixed,attr"`
	Attributes []xsdAttribute `xml:"attribute"`
	Inner      string         `xml:",innerxml"`
}

type xsdAttribute struct {
	Name string `xml:"name,attr"`
	Type string `xml:"type,attr"`
	Use  string `xml:"use,attr"`
}

var childOf = regexp.MustCompile(`<xs:element ref="([^"]+)"`)

func readXSD(t *testing.T, path string) xsd {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Elements []xsdElement `xml:"element"`
		Simple   []struct {
			Name    string `xml:"name,attr"`
			Pattern struct {
				Value string `xml:"value,attr"`
			} `xml:"restriction>pattern"`
		} `xml:"simpleType"`
	}
	if err := xml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	schema := xsd{map[string]xsdElement{}, map[string]*regexp.Regexp{}}
	for _, element := range file.Elements {
		schema.elements[element.Name] = element
	}
	for _, simple := range file.Simple {
		schema.patterns[simple.Name] = regexp.MustCompile("^(?:" + simple.Pattern.Value + ")$")
	}
	if len(schema.elements) < 10 || len(schema.patterns) != 1 {
		t.Fatalf("%s was not understood: %v", path, schema)
	}
	return schema
}

// validate lists where a document breaks the schema.
func (x xsd) validate(text string) []string {
	var problems []string
	var open []xsdElement
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return problems
		}
		if err != nil {
			return append(problems, err.Error())
		}
		switch token := token.(type) {
		case xml.StartElement:
			problems = append(problems, x.start(open, token)...)
			open = append(open, x.elements[token.Name.Local])
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if strings.TrimSpace(string(token)) != "" && !open[len(open)-1].holdsText() {
				problems = append(problems, fmt.Sprintf("text %q in %s", token, open[len(open)-1].Name))
			}
		}
	}
}

func (e xsdElement) holdsText() bool {
	return e.Type != "" || e.Complex != nil && e.Complex.Mixed
}

func (e xsdElement) children() []string {
	var names []string
	if e.Complex != nil {
		for _, match := range childOf.FindAllStringSubmatch(e.Complex.Inner, -1) {
			names = append(names, match[1])
		}
	}
	return names
}

func (x xsd) start(open []xsdElement, token xml.StartElement) []string {
	name := token.Name.Local
	element, known := x.elements[name]
	if !known {
		return []string{"unknown element " + name}
	}
	var problems []string
	if len(open) > 0 && !strings.Contains(" "+strings.Join(open[len(open)-1].children(), " ")+" ",
		" "+name+" ") {
		problems = append(problems, name+" in "+open[len(open)-1].Name)
	}
	given := map[string]string{}
	for _, attribute := range token.Attr {
		given[attribute.Name.Local] = attribute.Value
	}
	if element.Complex != nil {
		for _, attribute := range element.Complex.Attributes {
			value, is := given[attribute.Name]
			if !is && attribute.Use == "required" {
				problems = append(problems, name+" without "+attribute.Name)
			}
			if pattern := x.patterns[attribute.Type]; is && pattern != nil && !pattern.MatchString(value) {
				problems = append(problems, fmt.Sprintf("%s of %s is %q", attribute.Name, name, value))
			}
			delete(given, attribute.Name)
		}
	}
	for attribute := range given {
		problems = append(problems, "unknown attribute "+attribute+" of "+name)
	}
	return problems
}
