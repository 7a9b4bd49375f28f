package selftest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVariants shows each way in which a variant can come out. One that survives fails the run.
func TestVariants(t *testing.T) {
	t.Parallel()
	o := call(t, "variants", "testdata/matrix").expectStatus(t, 1)
	golden(t, "variants", normal(o.String(), nil))
}

// TestVariantsOneByOne makes sure that what proves nothing is no catch, whatever the cause, and
// that the honest twin beside it is.
func TestVariantsOneByOne(t *testing.T) {
	t.Parallel()
	for _, each := range []struct {
		variant, says string
		status        int
	}{
		{"no-limit", "caught", 0},
		{"lower-limit", "it holds (expected=exit 4, actual=exit 4)", 1},
		{"unbuildable", "the toolchain refuses it", 3},
		{"no-such-check", `did you mean "heavy parcel"?`, 3},
	} {
		t.Run(each.variant, func(t *testing.T) {
			t.Parallel()
			o := call(t, "variants", "testdata/matrix", "--run", "/"+each.variant+"$").
				expectStatus(t, each.status)
			if !strings.Contains(o.stdout, each.says) {
				t.Errorf("it does not say %q:\n%s", each.says, o)
			}
		})
	}
}

// TestVariantsFull runs everything against everything: checks that nothing makes fail are told by
// name, and so are excuses that none needs.
func TestVariantsFull(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	o := call(t, "variants", "testdata/matrix", "--full", "--out", folder).expectStatus(t, 1)
	for _, says := range []string{
		"UNEXPLAINED scale/heavy: least parcel: no variant was seen to make it fail",
		"excused scale/light: light* (1): nothing makes a light parcel heavy",
		`unfailed.yaml:3:5: scale/heavy: heavy parcel: "heavy parcel" excuses nothing`,
		`unfailed.yaml:4:5: scale/gone: *: "gone" excuses nothing`,
	} {
		if !strings.Contains(o.stdout, says) {
			t.Errorf("it does not say %q:\n%s", says, o)
		}
	}
	if strings.Contains(o.stdout, "UNEXPLAINED scale/less") {
		t.Errorf("what a defect also runs was seen failing:\n%s", o)
	}
	if strings.Contains(o.stdout, "UNEXPLAINED scale/control") {
		t.Errorf("the witness of a negative control was seen failing:\n%s", o)
	}
	page, err := os.ReadFile(filepath.Join(folder, "variants.html"))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "variants-page", normal(string(page), nil))
}

// TestVariantsBadInput makes sure that nothing runs when what is asked for makes no sense.
func TestVariantsBadInput(t *testing.T) {
	t.Parallel()
	for _, each := range []struct {
		arguments []string
		says      string
	}{
		{[]string{"testdata/matrix", "--run", "no-variant-is-called-so"}, "no variant selected"},
		{[]string{"testdata/matrix", "--run", "("}, "no regular expression"},
		{[]string{"testdata/channels"}, "no variant selected"},
		{[]string{"testdata/badmatrix"}, `did you mean "light"?`},
		{[]string{"testdata/matrics"}, "no such file or folder"},
		{[]string{"testdata/badlist"}, `unfailed.yaml:2:5: missing key "why"`},
		{[]string{"testdata/misfits"}, "matches 0 times in judge"},
		{[]string{"testdata/misfits"}, "matches 2 times in main"},
	} {
		o := callWith(t, nobodysPostgres(t), append([]string{"variants"}, each.arguments...)...).
			expectStatus(t, 2)
		if o.stdout != "" || !strings.Contains(o.stderr, each.says) {
			t.Errorf("it does not say %q, or something ran:\n%s", each.says, o)
		}
	}
}
