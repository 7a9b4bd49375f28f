package wire

import "io"

const (
	// bufferStart is a direction's buffer at its beginning, bytes: most connections say little.
	bufferStart = 4 << 10
	// bufferSize is the buffer at rest of one that says much, bytes.
	bufferSize = 32 << 10
	// bufferBound is the most that is withheld in memory, bytes; more goes to the spill.
	bufferBound = 2 * captureBound
	// bufferReuse is the largest buffer that a direction keeps when nothing is withheld.
	bufferReuse = 8 * bufferSize
)

// intake reads one direction of a connection: it cuts frames out of a reused buffer, keeps the ones
// that are withheld and writes the ones that may pass, in as few writes as can be.
//
//	written <= passing <= scanned <= filled: forwarded | may pass | withheld | not judged yet
type intake struct {
	source                            io.Reader
	needsBody                         func(kind byte) bool
	buffer                            []byte
	written, passing, scanned, filled int
	owed                              int // bytes of the last judged frame that have not arrived
	dropping                          int // bytes to come of a frame that was dropped
	keeping                           bool
	spill                             spill
	spillPasses                       bool
	full                              bool // the last read took all the room that there was
}

func newIntake(source io.Reader, needsBody func(kind byte) bool) *intake {
	return &intake{source: source, needsBody: needsBody, buffer: make([]byte, bufferStart)}
}

// incomplete tells whether some of the last judged frame has not arrived.
func (i *intake) incomplete() bool { return i.owed > 0 }

// next is the next frame that can be judged, or false when more bytes must be read first. The frame
// is withheld until pass is called.
func (i *intake) next() (frame, bool, error) {
	if i.owed > 0 {
		return frame{}, false, nil
	}
	found, ok, err := cut(i.buffer[i.scanned:i.filled], i.needsBody)
	if !ok {
		return found, ok, err
	}
	i.keeping = true
	whole := headerSize + found.size
	arrived := min(whole, i.filled-i.scanned)
	i.scanned += arrived
	i.owed = whole - arrived
	return found, true, nil
}

// pass lets everything judged so far go, also what is still to come of the last frame.
func (i *intake) pass() {
	i.keeping = false
	i.spillPasses = i.spill.size > 0
	i.passing = i.scanned
}

// withheld is how many bytes are kept back.
func (i *intake) withheld() int64 {
	if i.spillPasses {
		return int64(i.scanned - i.passing)
	}
	return i.spill.size + int64(i.scanned-i.passing)
}

// empty tells whether everything that was read has been written, to the end of a frame.
func (i *intake) empty() bool {
	return i.written == i.filled && i.owed == 0 && i.dropping == 0 && i.spill.size == 0
}

// kept is what is kept back in memory, from its beginning unless some of it was spilled.
func (i *intake) kept() []byte { return i.buffer[i.passing:i.scanned] }

// drop throws away what is kept back; what is still to come of the last frame too.
func (i *intake) drop() {
	if !i.spillPasses {
		i.spill.empty()
	}
	i.keeping = false
	i.dropping = i.owed
	i.owed = 0
	rest := copy(i.buffer[i.passing:], i.buffer[i.scanned:i.filled])
	i.scanned = i.passing
	i.filled = i.passing + rest
}

// swallow reads to the end, and throws away what was withheld and what comes. When it ends at the
// end of a frame, the intake is empty.
func (i *intake) swallow() {
	i.drop()
	for {
		_, ok, err := i.next()
		i.pass()
		if err == nil && !ok {
			if err = i.flush(io.Discard); err == nil {
				err = i.fill()
			}
		}
		if err != nil {
			return
		}
	}
}

// flush writes what may pass; what was spilled was there first.
func (i *intake) flush(destination io.Writer) error {
	if i.spillPasses {
		i.spillPasses = false
		if err := i.spill.pour(destination); err != nil {
			return err
		}
	}
	if i.passing == i.written {
		return nil
	}
	_, err := destination.Write(i.buffer[i.written:i.passing])
	i.written = i.passing
	return err
}

// fill reads more. Everything that may pass has been flushed before.
func (i *intake) fill() error {
	if err := i.makeRoom(); err != nil {
		return errSpill{err}
	}
	count, err := i.source.Read(i.buffer[i.filled:])
	i.full = count == len(i.buffer)-i.filled
	if unwanted := min(i.dropping, count); unwanted > 0 {
		copy(i.buffer[i.filled:], i.buffer[i.filled+unwanted:i.filled+count])
		i.dropping -= unwanted
		i.filled += count - unwanted
		return nil
	}
	i.filled += count
	if i.owed > 0 && count > 0 {
		arrived := min(i.owed, count)
		i.owed -= arrived
		i.scanned += arrived
		if !i.keeping {
			i.passing = i.scanned
		}
	}
	if count > 0 {
		return nil
	}
	return err
}

func (i *intake) makeRoom() error {
	if i.written == i.filled {
		i.written, i.passing, i.scanned, i.filled = 0, 0, 0, 0
		if len(i.buffer) > bufferReuse || i.full && len(i.buffer) < bufferSize {
			i.buffer = make([]byte, bufferSize)
		}
		return nil
	}
	if len(i.buffer)-i.filled >= len(i.buffer)/4 {
		return nil
	}
	i.compact(i.written)
	if i.filled < len(i.buffer)/2 {
		return nil
	}
	if len(i.buffer) < bufferBound {
		i.buffer = append(i.buffer, make([]byte, len(i.buffer))...)
		return nil
	}
	if err := i.spill.add(i.buffer[i.passing:i.scanned]); err != nil {
		return err
	}
	i.compact(i.scanned)
	return nil
}

// compact moves what is needed to the front of the buffer; the bytes before from are gone.
func (i *intake) compact(from int) {
	copy(i.buffer, i.buffer[from:i.filled])
	i.filled -= from
	i.scanned -= from
	i.written, i.passing = max(i.written-from, 0), max(i.passing-from, 0)
}
