package selftest

import "testing"

// folder is a folder of scenarios that is run by one call, and how that must exit.
type folder struct {
	name   string
	status int
}

// TestFolders runs each folder of testdata whose scenarios show a part of the language in both
// directions, and compares all that is said about them.
func TestFolders(t *testing.T) {
	t.Parallel()
	for _, each := range []folder{
		{"processes", 1}, {"channels", 1}, {"database", 1}, {"servers", 1}, {"two", 1},
		{"selection", 1}, {"schedule", 3}, {"readings", 1}, {"idle", 3}, {"erasing", 0},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			o := call(t, "run", "--parallel", "8", "testdata/"+each.name).expectStatus(t, each.status)
			golden(t, "folder-"+each.name, normal(o.String(), nil))
		})
	}
}
