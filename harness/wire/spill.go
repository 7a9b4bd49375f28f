package wire

import (
	"fmt"
	"io"
	"os"
)

// spill takes the bytes of a withheld group or answer that are too many for memory. Its file has no
// name, so nothing is left behind, whatever happens to the harness.
type spill struct {
	file *os.File
	size int64
}

// errSpill is the harness's own trouble with what it withholds.
type errSpill struct{ error }

// Unwrap is the cause.
func (e errSpill) Unwrap() error { return e.error }

func (s *spill) add(bytes []byte) error {
	if s.file == nil {
		file, err := os.CreateTemp("", "lostreply-withheld-*")
		if err != nil {
			return fmt.Errorf("withhold a large message (is the temporary directory writable?): %w", err)
		}
		s.file = file
		if err := os.Remove(file.Name()); err != nil {
			return fmt.Errorf("withhold a large message: %w", err)
		}
	}
	if _, err := s.file.Write(bytes); err != nil {
		return fmt.Errorf("withhold a large message (is the temporary directory full?): %w", err)
	}
	s.size += int64(len(bytes))
	return nil
}

// pour writes everything to the destination and empties the spill.
func (s *spill) pour(destination io.Writer) error {
	if s.size == 0 {
		return nil
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read a withheld message back: %w", err)
	}
	_, err := io.CopyN(destination, s.file, s.size)
	s.empty()
	return err
}

// empty throws away what is in the spill.
func (s *spill) empty() {
	if s.file != nil {
		_ = s.file.Close()
	}
	*s = spill{}
}
