package harness

import "testing"

func TestExpectedText(t *testing.T) {
	const want = `
the middle of a raw text is expected as it stands, however wide it may be, and so it is no finding
`
	t.Log(want + "but a wide line of code is one, in tests too, and it says by how much it is too wide")
}
