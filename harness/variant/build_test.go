package variant_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"lostreply/harness/clock"
	"lostreply/harness/scenario"
	"lostreply/harness/variant"
)

const (
	courier = "./cmd/courier"
	clerk   = "./cmd/clerk"
)

// log is a Builder's log that several builds may write.
type log struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *log) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(text)
}

// builds counts the calls of the toolchain.
func (l *log) builds() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return strings.Count(l.text.String(), "\n")
}

// checkout is a copy of the test's module whose files are an hour old.
func checkout(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(module)); err != nil {
		t.Fatal(err)
	}
	age(t, root)
	return root
}

func age(t testing.TB, root string) {
	t.Helper()
	before := clock.Now().Add(-time.Hour)
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, before, before))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rewrite replaces a part of a file of the module, an hour ago.
func rewrite(t *testing.T, root, file, old, new string) {
	t.Helper()
	path := filepath.Join(root, file)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(content), old, new, 1)
	if changed == string(content) {
		t.Fatalf("%s holds no %q", file, old)
	}
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	age(t, root)
}

func run(t *testing.T, program string) string {
	t.Helper()
	output, err := exec.Command(program).CombinedOutput()
	if err != nil {
		t.Fatalf("run %s: %v: %s", program, err, output)
	}
	return strings.TrimSpace(string(output))
}

func build(t *testing.T, b *variant.Builder, root, program string, d *scenario.Defect) string {
	t.Helper()
	binary, err := b.Build(t.Context(), root, program, d)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// tree is the name and content of every file below a folder.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

const courierSays = "STALE parcel 1 X row fragile"

func tokenDropped(t *testing.T) *scenario.Defect {
	return defect(t, edit("Finish", "code", `&& token == "t1"`, ""))
}

func TestBuildCleanAndWithDefects(t *testing.T) {
	root, words := checkout(t), &log{}
	builder := &variant.Builder{CacheDir: t.TempDir(), Log: words}
	before := tree(t, root)
	for _, test := range []struct {
		name, want string
		defect     *scenario.Defect
	}{
		{"clean", courierSays, nil},
		{"token dropped", "SENT parcel 1 X row fragile", tokenDropped(t)},
		{"an import left without use", "STALE parcel X row fragile",
			defect(t, edit("Label", "code", `fmt.Sprintf("parcel %d", id)`, `"parcel"`))},
		{"another import left without use", "STALE parcel 1 x row fragile",
			defect(t, edit("Shout", "code", "str.ToUpper(text)", "text"))},
		{"clean again", courierSays, nil},
	} {
		if got := run(t, build(t, builder, root, courier, test.defect)); got != test.want {
			t.Errorf("%s: it says %q, want %q", test.name, got, test.want)
		}
	}
	if words.builds() != 4 {
		t.Errorf("%d builds, want 4: clean is built once\n%s", words.builds(), words.text.String())
	}
	after := tree(t, root)
	for path, content := range after {
		if before[path] != content {
			t.Errorf("the build changed %s", path)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files before, %d after", len(before), len(after))
	}
}

func TestUnchangedSourcesNeedNoToolchain(t *testing.T) {
	root, cache := checkout(t), t.TempDir()
	dropped := tokenDropped(t)
	again := func(d *scenario.Defect) (binary string, builds int) {
		words := &log{}
		binary = build(t, &variant.Builder{CacheDir: cache, Log: words}, root, courier, d)
		return binary, words.builds()
	}
	first, builds := again(nil)
	broken, moreBuilds := again(dropped)
	if builds != 1 || moreBuilds != 1 {
		t.Fatalf("%d and %d builds, want 1 each", builds, moreBuilds)
	}
	for _, known := range []struct {
		binary string
		defect *scenario.Defect
	}{{first, nil}, {broken, dropped}} {
		if binary, builds := again(known.defect); builds != 0 || binary != known.binary {
			t.Errorf("unchanged: %d builds, %s; want none and %s", builds, binary, known.binary)
		}
	}
	for _, change := range []struct{ name, file, old, new, says string }{
		{"a source", "delivery/finish.go", `"parcel %d"`, `"packet %d"`,
			"STALE packet 1 X row fragile"},
		{"an embedded file", "delivery/label.txt", "fragile", "heavy",
			"STALE packet 1 X row heavy"},
		{"the module file", "go.mod", "go 1.26", "go 1.25", "STALE packet 1 X row heavy"},
	} {
		rewrite(t, root, change.file, change.old, change.new)
		binary, builds := again(nil)
		if says := run(t, binary); says != change.says || builds != 1 {
			t.Errorf("after a change of %s: %q and %d builds, want %q and 1",
				change.name, says, builds, change.says)
		}
	}
	if says := run(t, first); says != courierSays {
		t.Errorf("the binary of an earlier run was overwritten: it says %q", says)
	}
}

func TestNewFileOfPackageIsSeen(t *testing.T) {
	root, cache := checkout(t), t.TempDir()
	build(t, &variant.Builder{CacheDir: cache}, root, clerk, nil)
	extra := "package main\n\nfunc init() { println(\"extra\") }\n"
	path := filepath.Join(root, "cmd", "clerk", "extra.go")
	if err := os.WriteFile(path, []byte(extra), 0o644); err != nil {
		t.Fatal(err)
	}
	age(t, root)
	binary := build(t, &variant.Builder{CacheDir: cache}, root, clerk, nil)
	if says := run(t, binary); says != "extra\nclerk" {
		t.Errorf("it says %q: the new file is not in it", says)
	}
}

// A file saved while the build runs may or may not be in the binary: the next run must ask again.
func TestSourceChangedDuringBuildIsBuiltAgain(t *testing.T) {
	root, cache, words := checkout(t), t.TempDir(), &log{}
	soon := clock.Now().Add(time.Hour)
	path := filepath.Join(root, "cmd", "clerk", "main.go")
	if err := os.Chtimes(path, soon, soon); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		build(t, &variant.Builder{CacheDir: cache, Log: words}, root, clerk, nil)
	}
	if words.builds() != 2 {
		t.Errorf("%d builds, want 2", words.builds())
	}
}

func TestCompileErrorHasTheCompilersWords(t *testing.T) {
	root := checkout(t)
	builder := &variant.Builder{CacheDir: t.TempDir()}
	broken := defect(t, edit("Finish", "code", `return "SENT"`, "return 7"))
	_, err := builder.Build(t.Context(), root, courier, broken)
	var failure *variant.CompileError
	if !errors.As(err, &failure) {
		t.Fatalf("error %v, want a *CompileError", err)
	}
	for _, want := range []string{
		"build ./cmd/courier with defect broken: the toolchain refuses it:",
		"delivery/finish.go:24:10: cannot use 7",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
	if says := run(t, build(t, builder, root, courier, nil)); says != courierSays {
		t.Errorf("the clean build says %q after a failed one", says)
	}
}

func TestCompileErrorIsThatOfItsOwnProgram(t *testing.T) {
	root := checkout(t)
	rewrite(t, root, "cmd/clerk/main.go", "fmt.Println", "fmt.Printn")
	builder := &variant.Builder{CacheDir: t.TempDir()}
	_, err := builder.BuildAll(t.Context(), root, []string{courier, clerk}, nil)
	var failure *variant.CompileError
	if !errors.As(err, &failure) || failure.Package != clerk {
		t.Fatalf("error %v, want a *CompileError of %s", err, clerk)
	}
	if says := run(t, build(t, builder, root, courier, nil)); says != courierSays {
		t.Errorf("the courier says %q", says)
	}
}

func TestWhatCanNotBeBuilt(t *testing.T) {
	for _, test := range []struct{ name, pattern, want string }{
		{"a library", "./delivery", "no main packages to build"},
		{"the folder itself, a library", ".", "no Go files"},
		{"a missing package", "./cmd/nobody", "directory not found"},
	} {
		builder := &variant.Builder{CacheDir: t.TempDir()}
		_, err := builder.Build(t.Context(), checkout(t), test.pattern, nil)
		var failure *variant.CompileError
		if !errors.As(err, &failure) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want a *CompileError with %q", test.name, err, test.want)
		}
	}
	misfit := defect(t, edit("Finish", "code", "return 1", "return 2"))
	_, err := (&variant.Builder{CacheDir: t.TempDir()}).Build(
		t.Context(), checkout(t), courier, misfit)
	var wrong *variant.EditError
	if !errors.As(err, &wrong) {
		t.Errorf("a defect that does not apply: error %v, want an *EditError", err)
	}
}

func TestNoToolchain(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := (&variant.Builder{CacheDir: t.TempDir()}).Build(
		t.Context(), checkout(t), courier, nil)
	if !errors.Is(err, variant.ErrNoToolchain) {
		t.Fatalf("error %v, want ErrNoToolchain", err)
	}
	if !strings.Contains(err.Error(), "install Go") {
		t.Errorf("%v: it does not say what to do", err)
	}
}

func TestProgramsOfOneName(t *testing.T) {
	root, other := checkout(t), "./other/cmd/courier"
	builder := &variant.Builder{CacheDir: t.TempDir()}
	binaries, err := builder.BuildAll(t.Context(), root, []string{courier, other, clerk}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]string{
		courier: courierSays, other: "the other courier", clerk: "clerk",
	} {
		if says := run(t, binaries[pattern]); says != want {
			t.Errorf("%s says %q, want %q", pattern, says, want)
		}
		if name := filepath.Base(binaries[pattern]); name != filepath.Base(pattern) {
			t.Errorf("%s is called %s", pattern, name)
		}
	}
	folder := filepath.Join(root, "cmd", "clerk")
	if says := run(t, build(t, builder, folder, ".", nil)); says != "clerk" {
		t.Errorf("the program of the folder itself says %q", says)
	}
}

// Two checkouts, and two runs in each, share a cache.
func TestConcurrentBuilds(t *testing.T) {
	cache, words := t.TempDir(), &log{}
	one, two := checkout(t), checkout(t)
	rewrite(t, two, "delivery/finish.go", `"parcel %d"`, `"packet %d"`)
	builders := []*variant.Builder{{CacheDir: cache, Log: words}, {CacheDir: cache, Log: words}}
	dropped := tokenDropped(t)
	var work errgroup.Group
	for i := range 16 {
		builder, root, noun, state := builders[i%2], one, "parcel", "STALE"
		var put *scenario.Defect
		if i/2%2 == 1 {
			root, noun = two, "packet"
		}
		if i/4%2 == 1 {
			put, state = dropped, "SENT"
		}
		want := state + " " + noun + " 1 X row fragile"
		work.Go(func() error {
			binary, err := builder.Build(t.Context(), root, courier, put)
			if err != nil {
				return err
			}
			output, err := exec.Command(binary).CombinedOutput()
			if says := strings.TrimSpace(string(output)); says != want {
				t.Errorf("build %d says %q, want %q", i, says, want)
			}
			return err
		})
	}
	if err := work.Wait(); err != nil {
		t.Fatal(err)
	}
	if words.builds() > 8 {
		t.Errorf("%d builds, want at most 4 for each of 2 builders", words.builds())
	}
}

func TestCancelledBuildIsDoneAgain(t *testing.T) {
	root := checkout(t)
	builder := &variant.Builder{CacheDir: t.TempDir()}
	cause := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := builder.Build(ctx, root, courier, nil); !errors.Is(err, cause) {
		t.Errorf("error %v, want the context's cause", err)
	}
	if says := run(t, build(t, builder, root, courier, nil)); says != courierSays {
		t.Errorf("it says %q", says)
	}
}
