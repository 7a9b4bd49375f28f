package variant

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

// inputs is what a program is built from, apart from the standard library and downloaded modules,
// which do not change: kept from one run to the next, because asking the toolchain whether anything
// changed takes a quarter of a second even when nothing did.
type inputs struct {
	// Folders are those of the packages; Trees are those of them that embed files.
	Folders, Trees []string
	// Files are the module files, and the embedded ones.
	Files []string
	// Opaque is set for programs of which the above does not tell everything (cgo).
	Opaque bool
	// Digest is that of all their contents when they were listed. When it is another now, the
	// program may be made of other packages.
	Digest string
}

// listed is the part of `go list -json` that is used.
type listed struct {
	Dir        string
	Standard   bool
	CgoFiles   []string
	EmbedFiles []string
	Module     *struct {
		Main    bool
		GoMod   string
		Replace *struct{ Version string }
	}
}

// current is the binary of a program built before from what its sources are now, if there is one.
func (b *Builder) current(what order, pattern string) (string, bool) {
	print, ok := b.fingerprint(what, pattern)
	if !ok {
		return "", false
	}
	return b.published(print, pattern)
}

// fingerprint names a program by everything that it is made from.
func (b *Builder) fingerprint(what order, pattern string) (string, bool) {
	known, ok := b.knownInputs(what.root, pattern)
	if !ok || known.Opaque {
		return "", false
	}
	environment, err := buildEnvironment(what.root, b.Environment)
	if err != nil {
		return "", false
	}
	return digest(what.root, pattern, known.Digest, environment, overlayDigest(what.overlay)), true
}

func (b *Builder) inputsFile(root, pattern string) string {
	what := append([]string{root, pattern}, b.Environment...)
	return filepath.Join(b.cache, "inputs", digest(what...)+".json")
}

// knownInputs reads what a program is made from, and whether that is still true.
func (b *Builder) knownInputs(root, pattern string) (*inputs, bool) {
	content, err := os.ReadFile(b.inputsFile(root, pattern))
	if err != nil {
		return nil, false
	}
	known := &inputs{}
	if err := json.Unmarshal(content, known); err != nil {
		return nil, false
	}
	now, err := known.digest()
	return known, err == nil && now == known.Digest
}

// learnInputs asks the toolchain what the programs are made from, unless that is known. A package
// that can't be listed is left to the compiler, whose words are better.
func (b *Builder) learnInputs(ctx context.Context, root string, builds []*pending) error {
	var patterns []string
	for _, build := range builds {
		if _, ok := b.knownInputs(root, build.pattern); !ok {
			patterns = append(patterns, build.pattern)
		}
	}
	if len(patterns) == 0 {
		return nil
	}
	sort.Strings(patterns)
	_, err, _ := b.listing.Do(digest(append(patterns, root)...), func() (any, error) {
		arguments := []string{"list", "-deps", "-json=Dir,Standard,CgoFiles,EmbedFiles,Module"}
		output, err := b.goCommand(ctx, root, append(arguments, patterns...)...)
		if err != nil {
			return nil, err
		}
		return nil, b.rememberInputs(root, patterns, output)
	})
	var refused *refusal
	if errors.As(err, &refused) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (b *Builder) rememberInputs(root string, patterns []string, output []byte) error {
	found, err := readList(root, output)
	if err != nil {
		return err
	}
	if found.Digest, err = found.digest(); err != nil {
		return err
	}
	content, err := json.Marshal(found)
	if err != nil {
		return fmt.Errorf("remember inputs: %w", err)
	}
	for _, pattern := range patterns {
		if err := b.writeWhole(b.inputsFile(root, pattern), content); err != nil {
			return fmt.Errorf("remember inputs of %s: %w", pattern, err)
		}
	}
	return nil
}

func readList(root string, output []byte) (*inputs, error) {
	found := &inputs{Files: []string{
		filepath.Join(root, "go.sum"), filepath.Join(root, "vendor", "modules.txt"),
	}}
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var one listed
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read the toolchain's list of packages: %w", err)
		}
		if !one.changes(root) {
			continue
		}
		found.Folders = append(found.Folders, one.Dir)
		found.Opaque = found.Opaque || len(one.CgoFiles) > 0
		if len(one.EmbedFiles) > 0 {
			found.Trees = append(found.Trees, one.Dir)
		}
		for _, file := range one.EmbedFiles {
			found.Files = append(found.Files, filepath.Join(one.Dir, file))
		}
		if one.Module != nil && one.Module.GoMod != "" {
			found.Files = append(found.Files, one.Module.GoMod)
		}
	}
	sort.Strings(found.Files)
	found.Files = slices.Compact(found.Files)
	return found, nil
}

// changes says whether a package can change under its name: that of a main module or of one
// replaced by a folder, or a vendored one.
func (l listed) changes(root string) bool {
	if l.Standard {
		return false
	}
	return l.Module == nil || l.Module.Main ||
		l.Module.Replace != nil && l.Module.Replace.Version == "" ||
		strings.HasPrefix(l.Dir, root+string(filepath.Separator))
}

// paths are all files whose contents matter, and the folders whose lists of names do.
func (i *inputs) paths() (files, folders []string, err error) {
	files = append(files, i.Files...)
	for _, folder := range i.Folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, nil, fmt.Errorf("list a package: %w", err)
		}
		folders = append(folders, folder)
		for _, entry := range entries {
			if !entry.IsDir() && compiled(entry.Name()) {
				files = append(files, filepath.Join(folder, entry.Name()))
			}
		}
	}
	for _, tree := range i.Trees {
		err := filepath.WalkDir(tree, func(path string, _ fs.DirEntry, err error) error {
			folders = append(folders, path) // a file here stands for its name alone
			return err
		})
		if err != nil {
			return nil, nil, fmt.Errorf("list embedded files: %w", err)
		}
	}
	return files, folders, nil
}

// compiled says whether a file of a package is one that the toolchain would compile or link.
func compiled(name string) bool {
	if strings.HasSuffix(name, "_test.go") {
		return false
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".go", ".s", ".sx", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx",
		".f", ".for", ".f90", ".swig", ".swigcxx", ".syso", ".mod":
		return true
	}
	return false
}

func (i *inputs) digest() (string, error) {
	files, folders, err := i.paths()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, folder := range folders {
		fmt.Fprintf(sum, "folder %q\n", folder)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(sum, "missing %q\n", file)
			continue
		}
		if err != nil {
			return "", fmt.Errorf("read a source: %w", err)
		}
		fmt.Fprintf(sum, "file %q %d\n", file, len(content))
		sum.Write(content)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// fileTimeStep is how far a file's time may lag behind the clock (a tick of the kernel).
const fileTimeStep = 20 * time.Millisecond

// quietSince says that nothing changed since an instant: what was compiled is what was read.
func (i *inputs) quietSince(instant time.Time) bool {
	files, folders, err := i.paths()
	if err != nil {
		return false
	}
	for _, path := range append(files, folders...) {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !info.ModTime().Before(instant.Add(-fileTimeStep)) {
			return false
		}
	}
	return true
}

// buildEnvironment names what else decides about a build: the toolchain, its settings (added ones
// come on top of this process's), a workspace.
func buildEnvironment(root string, added []string) (string, error) {
	program, err := exec.LookPath("go")
	if err != nil {
		return "", ErrNoToolchain
	}
	info, err := os.Stat(program)
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", program, err)
	}
	parts := []string{program, fmt.Sprint(info.Size()), info.ModTime().String()}
	environment := os.Environ()
	sort.Strings(environment)
	for _, setting := range append(environment, added...) {
		name, _, _ := strings.Cut(setting, "=")
		if strings.HasPrefix(name, "GO") || strings.HasPrefix(name, "CGO_") ||
			name == "CC" || name == "CXX" {
			parts = append(parts, setting)
		}
	}
	settings := os.Getenv("GOENV")
	if configuration, err := os.UserConfigDir(); err == nil && settings == "" {
		settings = filepath.Join(configuration, "go", "env")
	}
	files := []string{settings}
	for folder := root; ; folder = filepath.Dir(folder) {
		files = append(files, filepath.Join(folder, "go.work"))
		if folder == filepath.Dir(folder) {
			break
		}
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		parts = append(parts, string(content), fmt.Sprint(err == nil))
	}
	return digest(parts...), nil
}
