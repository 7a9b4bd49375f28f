// Package harness has a function, a file and a line that are too long.
package harness

func short() int {
	return 1
}

func long() int {
	n := short()
	n++
	n++
	return n
}

// The next line is too wide; a tag and an address can not be broken.
const wide = "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0"

type tagged struct {
	Key string `key:"key" doc:"0123456789 0123456789 0123456789 0123456789 0123456789 0123456789"`
}

const address = "https://example.org/0123456789/0123456789/0123456789/0123456789/0123456789"
