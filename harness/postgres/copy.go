package postgres

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

const (
	copiers    = 2         // a copy is a thousand small files: more time than bytes
	copyBuffer = 256 << 10 // bytes
)

// copyTree copies a folder with all below it into one that is made. Everything in it is a folder or
// an ordinary file, as in a data directory.
func copyTree(from, to string) error {
	paths := make(chan string)
	var working errgroup.Group
	for range copiers {
		working.Go(func() error {
			buffer := make([]byte, copyBuffer)
			var failure error
			for path := range paths { // to the end, or whoever sends would wait for ever
				if failure == nil {
					failure = copyFile(filepath.Join(from, path), filepath.Join(to, path), buffer)
				}
			}
			return failure
		})
	}
	walking := fs.WalkDir(os.DirFS(from), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, path), 0o777)
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is neither a file nor a folder", filepath.Join(from, path))
		}
		paths <- path
		return nil
	})
	close(paths)
	if err := errors.Join(walking, working.Wait()); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

func copyFile(from, to string, buffer []byte) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666|info.Mode()&0o777)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	for {
		count, err := source.Read(buffer)
		if count > 0 {
			if _, err := target.Write(buffer[:count]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// earlyCopy is a copy of the prepared data directory that goes on while it is found out whom the
// programs run as.
type earlyCopy struct {
	of   string // what it copies: the directory of the programs
	done chan struct{}
	err  error // to be read after done
}

// copyEarly begins to copy the prepared data directory of some binaries, if there is one. It is nil
// otherwise.
func copyEarly(binaries Binaries, dir runDir) *earlyCopy {
	prepared := preparedPath(binaries)
	if !isPrepared(prepared) {
		return nil
	}
	begun := &earlyCopy{of: binaries.Dir, done: make(chan struct{})}
	go func() {
		defer close(begun.done)
		begun.err = copyTree(prepared, dir.data())
	}()
	return begun
}

// end waits for the copy, and tells whether it is one for these binaries. What can't be used is
// removed.
func (e *earlyCopy) end(binaries Binaries, dir runDir) (usable bool, err error) {
	if e == nil {
		return false, nil
	}
	<-e.done
	if e.err == nil && e.of == binaries.Dir {
		return true, nil
	}
	return false, os.RemoveAll(dir.data())
}
