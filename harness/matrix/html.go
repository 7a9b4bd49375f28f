package matrix

import (
	_ "embed" // the page's template
	"fmt"
	"html/template"
	"io"
)

//go:embed page.html
var page string

// Page is everything as one page of HTML.
type Page struct {
	Rows     []Row
	Account  Account
	Complete bool // what could fail a check of the systems was run
	Summary  string
}

// Write writes the page.
func (p Page) Write(out io.Writer) error {
	laid := template.New("page").Funcs(template.FuncMap{
		"seconds":   seconds,
		"scenarios": Variant.scenarios,
	})
	laid, err := laid.Parse(page)
	if err != nil {
		return fmt.Errorf("read the page's template: %w", err)
	}
	if err := laid.Execute(out, p); err != nil {
		return fmt.Errorf("write the page of variants: %w", err)
	}
	return nil
}
