package strict

import (
	"fmt"
	"io"
	"os"
)

// ReadFile reads a file for Parse or Load. What is no regular file (a pipe, a device) is refused,
// as reading it may never end; of a file that is too large only as much as tells so is read.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, max(maxSize+1, info.Size())))
}
