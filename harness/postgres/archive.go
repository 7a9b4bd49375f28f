package postgres

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// unpackLimit bounds what an archive may grow to, in bytes. The pinned package holds 58 million.
const unpackLimit = 512 << 20

// unpack writes the files of a gzipped tar that lie under prefix into root. Everything goes through
// os.Root, which lets nothing out of its directory; anything but files and directories is refused.
func unpack(root *os.Root, archive io.Reader, prefix string) error {
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	entries, left := tar.NewReader(unzipped), int64(unpackLimit)
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, inside := strings.CutPrefix(path.Clean(header.Name), prefix+"/")
		if !inside || header.Typeflag == tar.TypeDir {
			continue
		}
		if header.Typeflag != tar.TypeReg || !filepath.IsLocal(name) {
			return fmt.Errorf("the archive's %q is not a plain file inside it", header.Name)
		}
		if left -= header.Size; left < 0 {
			return fmt.Errorf("the archive holds more than %d bytes", int64(unpackLimit))
		}
		if err := writeFile(root, name, header, entries); err != nil {
			return err
		}
	}
}

func writeFile(root *os.Root, name string, header *tar.Header, content io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if header.Mode&0o100 != 0 {
		mode = 0o755
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.CopyN(file, content, header.Size)
	return errors.Join(err, file.Close())
}

// linkAll makes the symbolic links that pg-symlinks.json lists, since npm archives can't hold any:
// each is a name of a library for another name in the same folder.
func linkAll(root *os.Root) error {
	content, err := root.ReadFile("pg-symlinks.json")
	if err != nil {
		return fmt.Errorf("read the list of links: %w", err)
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(content, &links); err != nil {
		return fmt.Errorf("read the list of links: %w", err)
	}
	for _, link := range links {
		from, inside := strings.CutPrefix(path.Clean(link.Target), "native/")
		if !inside || path.Dir(link.Source) != path.Dir(link.Target) {
			return fmt.Errorf("the link %q to %q leaves its folder", link.Target, link.Source)
		}
		if err := root.Symlink(path.Base(link.Source), from); err != nil {
			return err
		}
	}
	return nil
}
