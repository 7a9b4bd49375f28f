package postgres

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// realBinaries are those that other tests run, found or fetched.
func realBinaries(t *testing.T) Binaries {
	t.Helper()
	binaries, err := Provision(t.Context(), Options{Directory: os.Getenv(DirectoryVariable)})
	if err != nil {
		t.Fatal(err)
	}
	return binaries
}

// linkingSource "fetches" by linking to programs that are there already, and counts how often.
func linkingSource(real Binaries, fetched *atomic.Int32) source {
	return source{name: "the test's source", key: "test", fix: "none",
		find: func(_ context.Context, dir string) (string, error) {
			fetched.Add(1)
			bin := filepath.Join(dir, "native", "bin")
			if err := os.MkdirAll(bin, 0o755); err != nil {
				return "", err
			}
			for _, program := range []string{"postgres", "initdb"} {
				err := os.Symlink(filepath.Join(real.Dir, program), filepath.Join(bin, program))
				if err != nil {
					return "", err
				}
			}
			return bin, nil
		}}
}

func failingSource(name string) source {
	return source{name: name, key: name, fix: "mend " + name,
		find: func(context.Context, string) (string, error) { return "", errors.New("no " + name) }}
}

func TestTwoStartsWithAnEmptyCacheFetchOnce(t *testing.T) {
	var fetched atomic.Int32
	options := Options{CacheDir: t.TempDir(),
		sources: []source{linkingSource(realBinaries(t), &fetched)}}
	var both sync.WaitGroup
	for range 4 {
		both.Go(func() {
			if _, err := Provision(t.Context(), options); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if fetched.Load() != 1 {
		t.Errorf("fetched %d times", fetched.Load())
	}
}

func TestAHalfFilledCacheIsNotUsed(t *testing.T) {
	var fetched atomic.Int32
	cache := t.TempDir()
	from := linkingSource(realBinaries(t), &fetched)
	bin := filepath.Join(cachedBinaries(cache, from), "bin")
	abandoned := filepath.Join(cacheFolder(cache), partialPrefix+"1")
	for _, dir := range []string{bin, abandoned} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{"postgres", "initdb"} { // cut short
		if err := os.WriteFile(filepath.Join(bin, program), []byte("\x7fELF"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	binaries, err := Provision(t.Context(), Options{CacheDir: cache, sources: []source{from}})
	if err != nil || binaries.Version == "" || fetched.Load() != 1 {
		t.Errorf("got %+v, fetched %d times, error %v", binaries, fetched.Load(), err)
	}
	if _, err := os.Stat(abandoned); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what an interrupted run left is still there: %v", err)
	}
	binaries, err = Provision(t.Context(), Options{CacheDir: cache, sources: []source{from}})
	if err != nil || binaries.Source != "the test's source, cached" || fetched.Load() != 1 {
		t.Errorf("got %+v, fetched %d times, error %v", binaries, fetched.Load(), err)
	}
}

func TestTheNextSourceIsTried(t *testing.T) {
	var fetched atomic.Int32
	var said []string
	binaries, err := Provision(t.Context(), Options{CacheDir: t.TempDir(),
		Log:     func(line string) { said = append(said, line) },
		sources: []source{failingSource("first"), linkingSource(realBinaries(t), &fetched)}})
	if err != nil || binaries.Source != "the test's source" {
		t.Errorf("got %+v, error %v", binaries, err)
	}
	if got := strings.Join(said, "\n"); !strings.Contains(got, "from the test's source") {
		t.Errorf("it said %q", got)
	}
}

func TestNoSourceIsOneErrorThatSaysWhatToDo(t *testing.T) {
	cache := t.TempDir()
	_, err := Provision(t.Context(), Options{CacheDir: cache,
		sources: []source{failingSource("download"), failingSource("package")}})
	want := `no PostgreSQL is to be had; tried, in this order:
  a server: no URL was given
    fix: give one with --postgres URL or LOSTREPLY_POSTGRES_URL
  a directory of binaries: none was given
    fix: set LOSTREPLY_POSTGRES_BIN to the bin directory of PostgreSQL 14 or later
  the cache: nothing usable in ` + cache + `
    fix: it fills itself once one of the sources below works
  download: no download
    fix: mend download
  package: no package
    fix: mend package`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
	left, err := filepath.Glob(filepath.Join(cacheFolder(cache), "*"))
	if err != nil || len(left) != 1 { // the lock
		t.Errorf("left in the cache: %v, %v", left, err)
	}
}

func TestAnExplicitDirectoryIsUsedOrReported(t *testing.T) {
	real := realBinaries(t)
	for _, dir := range []string{real.Dir, filepath.Dir(real.Dir)} {
		binaries, err := Provision(t.Context(), Options{Directory: dir, CacheDir: t.TempDir()})
		if err != nil || binaries.Dir != real.Dir {
			t.Errorf("from %s: %+v, error %v", dir, binaries, err)
		}
	}
	empty := t.TempDir()
	_, err := Provision(t.Context(), Options{Directory: empty, CacheDir: t.TempDir()})
	want := "no usable PostgreSQL in the given directory " + empty
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

func TestOldOrStrangeProgramsAreRefused(t *testing.T) {
	for says, want := range map[string]string{
		"postgres (PostgreSQL) 13.9": "14 is the oldest that can be used",
		"hello":                      `printed "hello\n"`,
	} {
		dir := t.TempDir()
		script := []byte("#!/bin/sh\necho '" + says + "'\n")
		for _, program := range []string{"postgres", "initdb"} {
			if err := os.WriteFile(filepath.Join(dir, program), script, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := probe(t.Context(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", says, err)
		}
	}
}

func TestAnotherVersionIsNamed(t *testing.T) {
	pinned := describe(Binaries{Version: "16.14", Source: "here"})
	other := describe(Binaries{Version: "15.8", Source: "here"})
	if pinned != "PostgreSQL 16.14 from here" ||
		other != "PostgreSQL 15.8 from here (not the pinned version 16.14.0)" {
		t.Errorf("%s; %s", pinned, other)
	}
}
