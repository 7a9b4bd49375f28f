package process

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// How much of a worker's output is kept: half of it from the beginning, half from the end. A line
// longer than lineLimit is cut, saying so.
const (
	keptLines = 10_000
	keptBytes = 4 << 20
	lineLimit = 1 << 20
)

// How much is read of a stream at once, bytes: little of one that has said little so far.
const (
	readStart = 4 << 10
	readMost  = 64 << 10
)

// Stream tells where a line was written.
type Stream string

// The streams of a worker. Note is the harness's own remark among its lines: how many were dropped.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
	Note   Stream = "note"
)

// Line is one line of a worker's output, without its end. What is not UTF-8 is replaced by U+FFFD.
// The order within a stream is exact; between the two it is that of arrival.
type Line struct {
	Stream Stream
	Text   string
}

// String writes a line for a message: "stdout: worker up".
func (l Line) String() string { return string(l.Stream) + ": " + l.Text }

// output keeps what a worker wrote, within bounds, and tells those who wait for a line.
type output struct {
	echo      func(Line)
	echoMutex sync.Mutex // keeps echoed lines in order and one at a time

	mutex     sync.Mutex
	head      []Line
	headBytes int
	headFull  bool
	tail      []Line
	tailBytes int
	dropped   int
	waiters   []*waiter

	streams []*os.File
	readers sync.WaitGroup
	drained chan struct{} // closed when both streams have been read to EOF
}

func newOutput(echo func(Line)) *output {
	return &output{echo: echo, drained: make(chan struct{})}
}

// drain reads both streams to EOF, each on its own.
func (o *output) drain(stdout, stderr *os.File) {
	o.streams = []*os.File{stdout, stderr}
	o.readers.Add(2)
	go o.read(Stdout, stdout)
	go o.read(Stderr, stderr)
	go func() {
		o.readers.Wait()
		close(o.drained)
	}()
}

// hungUp tells whether nobody holds the worker's end of its streams any more, read or not.
func (o *output) hungUp() bool {
	for _, stream := range o.streams {
		raw, err := stream.SyscallConn()
		hungUp := false
		if err == nil {
			err = raw.Control(func(descriptor uintptr) {
				polled := []unix.PollFd{{Fd: int32(descriptor)}} // POLLHUP needs no asking
				_, err := unix.Poll(polled, 0)
				hungUp = err == nil && polled[0].Revents&unix.POLLHUP != 0
			})
		}
		// One that can't be asked has been closed: it was read to its end.
		if !hungUp && err == nil {
			return false
		}
	}
	return true
}

// read splits a stream into lines. It must never stop before EOF, or the worker would block; a read
// error on a pipe is the end of it.
func (o *output) read(stream Stream, from io.ReadCloser) {
	defer o.readers.Done()
	defer from.Close()
	buffer := make([]byte, readStart)
	var line assembly
	for {
		count, err := from.Read(buffer)
		rest := buffer[:count]
		for {
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				break
			}
			line.add(rest[:end])
			o.append(Line{Stream: stream, Text: line.take()})
			rest = rest[end+1:]
		}
		line.add(rest)
		if err != nil {
			if line.begun {
				o.append(Line{Stream: stream, Text: line.take()})
			}
			return
		}
		if count == len(buffer) && count < readMost {
			buffer = make([]byte, readMost)
		}
	}
}

// assembly is a line that has not ended yet.
type assembly struct {
	text  []byte
	cut   int // bytes beyond lineLimit
	begun bool
}

func (a *assembly) add(piece []byte) {
	if len(piece) == 0 {
		return
	}
	a.begun = true
	room := min(lineLimit-len(a.text), len(piece))
	a.text = append(a.text, piece[:room]...)
	a.cut += len(piece) - room
}

// take ends the line and begins the next one.
func (a *assembly) take() string {
	text := strings.ToValidUTF8(string(bytes.TrimSuffix(a.text, []byte{'\r'})), "\uFFFD")
	if a.cut > 0 {
		text += fmt.Sprintf("… [%d more bytes of this line dropped]", a.cut)
	}
	*a = assembly{text: a.text[:0]}
	if cap(a.text) > 64<<10 {
		a.text = nil
	}
	return text
}

func (o *output) append(line Line) {
	o.echoMutex.Lock()
	defer o.echoMutex.Unlock()
	o.keep(line)
	if o.echo != nil {
		o.echo(line)
	}
}

func (o *output) keep(line Line) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, waiting := range o.waiters {
		waiting.offer(line)
	}
	if !o.headFull && len(o.head) < keptLines/2 && o.headBytes+len(line.Text) <= keptBytes/2 {
		o.head = append(o.head, line)
		o.headBytes += len(line.Text)
		return
	}
	o.headFull = true
	o.tail = append(o.tail, line)
	o.tailBytes += len(line.Text)
	for len(o.tail) > keptLines/2 || o.tailBytes > keptBytes/2 {
		o.tailBytes -= len(o.tail[0].Text)
		o.tail[0] = Line{} // lets the text go: append keeps the slice's array for a while
		o.tail = o.tail[1:]
		o.dropped++
	}
}

// lines is a copy of what was kept, with a note where lines were dropped.
func (o *output) lines() []Line {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.linesLocked()
}

func (o *output) linesLocked() []Line {
	lines := append([]Line(nil), o.head...)
	if o.dropped > 0 {
		lines = append(lines, Line{Note, fmt.Sprintf("[%d lines dropped here]", o.dropped)})
	}
	return append(lines, o.tail...)
}

func (o *output) last(count int) []Line {
	lines := o.lines()
	return lines[max(0, len(lines)-count):]
}
