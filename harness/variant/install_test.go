package variant_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"lostreply/harness/variant"
)

// registry serves one package, tiny, at 1.0.0 and 1.1.0, to the real npm client.
type registry struct {
	*httptest.Server
	archives map[string][]byte
	fetched  atomic.Int64 // archives that were asked for
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	r := &registry{archives: map[string][]byte{}}
	for _, version := range []string{"1.0.0", "1.1.0"} {
		r.archives[version] = archive(t, version)
	}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	npmFrom(t, r.URL)
	return r
}

// npmFrom points npm to a registry, with a cache of its own and without second tries.
func npmFrom(t *testing.T, url string) {
	t.Helper()
	for name, value := range map[string]string{
		"registry": url, "cache": t.TempDir(), "fetch_retries": "0", "update_notifier": "false",
	} {
		t.Setenv("npm_config_"+name, value)
		t.Setenv("NPM_CONFIG_"+strings.ToUpper(name), value)
	}
}

func (r *registry) serve(w http.ResponseWriter, request *http.Request) {
	if version, is := strings.CutPrefix(request.URL.Path, "/archives/"); is {
		r.fetched.Add(1)
		_, _ = w.Write(r.archives[version])
		return
	}
	if request.URL.Path != "/tiny" {
		http.NotFound(w, request)
		return
	}
	var versions []string
	for _, version := range []string{"1.0.0", "1.1.0"} {
		sum := sha512.Sum512(r.archives[version])
		versions = append(versions, fmt.Sprintf(
			`%q: {"name": "tiny", "version": %q, `+
				`"dist": {"tarball": "%s/archives/%s", "integrity": "sha512-%s"}}`,
			version, version, r.URL, version, base64.StdEncoding.EncodeToString(sum[:])))
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"name": "tiny", "dist-tags": {"latest": "1.1.0"}, "versions": {%s}}`,
		strings.Join(versions, ", "))
}

// archive is the package as npm publishes it. Its script would leave a trace if it were run.
func archive(t *testing.T, version string) []byte {
	t.Helper()
	var content bytes.Buffer
	compressed := gzip.NewWriter(&content)
	files := tar.NewWriter(compressed)
	manifest := fmt.Sprintf(
		`{"name": "tiny", "version": %q, "scripts": {"install": "touch script-was-run"}}`, version)
	err := errors.Join(
		files.WriteHeader(&tar.Header{
			Name: "package/package.json", Mode: 0o644, Size: int64(len(manifest)),
		}),
		func() error { _, err := files.Write([]byte(manifest)); return err }(),
		files.Close(), compressed.Close(),
	)
	if err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

func TestPackagesAreInstalledOnceForAll(t *testing.T) {
	served := newRegistry(t)
	cache := t.TempDir()
	const at = 6
	var folders [at]string
	var all sync.WaitGroup
	for i := range at {
		all.Add(1)
		go func() {
			defer all.Done()
			var err error
			installer := variant.Installer{CacheDir: cache} // as if each were a process of its own
			folders[i], err = installer.Install(context.Background(), map[string]string{"tiny": "1.0.0"})
			if err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	for _, folder := range folders {
		if folder != folders[0] {
			t.Errorf("two folders hold one set of packages: %s and %s", folder, folders[0])
		}
	}
	if n := served.fetched.Load(); n != 1 {
		t.Errorf("the package was fetched %d times, not once", n)
	}
	holds(t, folders[0], `"version": "1.0.0"`)
	if _, err := os.Stat(filepath.Join(folders[0], "node_modules/tiny/script-was-run")); err == nil {
		t.Error("npm ran a script of the package")
	}
}

func TestVersionsAreInstalledSideBySide(t *testing.T) {
	newRegistry(t)
	installer := variant.Installer{CacheDir: t.TempDir()}
	var folders []string
	for _, version := range []string{"1.0.0", "1.1.0"} {
		folder, err := installer.Install(context.Background(), map[string]string{"tiny": version})
		if err != nil {
			t.Fatal(err)
		}
		folders = append(folders, folder)
	}
	holds(t, folders[0], `"version": "1.0.0"`)
	holds(t, folders[1], `"version": "1.1.0"`)
}

func holds(t *testing.T, folder, want string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, "node_modules", "tiny", "package.json"))
	if err != nil || !strings.Contains(string(content), want) {
		t.Errorf("installed: %s (%v), want %s", content, err, want)
	}
}

// What the machine lacks is Unmet; a mistake in what was asked for is not. Nothing is left that a
// later try would take for installed.
func TestWhatCanNotBeInstalled(t *testing.T) {
	cache, path := t.TempDir(), os.Getenv("PATH")
	installer := variant.Installer{CacheDir: cache}
	for _, c := range []struct {
		name    string
		arrange func(t *testing.T)
		version string
		unmet   bool
		says    string
	}{
		{"no npm", func(t *testing.T) { newRegistry(t); t.Setenv("PATH", t.TempDir()) }, "1.0.0",
			true, "no npm in PATH to install tiny@1.0.0"},
		{"no registry", func(t *testing.T) { newRegistry(t).Close() }, "1.0.0",
			true, "ECONNREFUSED"},
		{"no such version", func(t *testing.T) { newRegistry(t) }, "9.9.9",
			false, "ETARGET"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.arrange(t)
			_, err := installer.Install(context.Background(), map[string]string{"tiny": c.version})
			var unmet variant.Unmet
			if err == nil || errors.As(err, &unmet) != c.unmet || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v; want Unmet=%v, saying %q", err, c.unmet, c.says)
			}
		})
	}
	t.Setenv("PATH", path)
	newRegistry(t)
	folder, err := installer.Install(context.Background(), map[string]string{"tiny": "1.0.0"})
	if err != nil {
		t.Fatalf("after the trouble: %v", err)
	}
	holds(t, folder, `"version": "1.0.0"`)
}

func TestNeededCommands(t *testing.T) {
	if err := variant.NeedCommands([]string{"sh", "ls"}); err != nil {
		t.Errorf("sh and ls are everywhere: %v", err)
	}
	err := variant.NeedCommands([]string{"sh", "no-such-command", "nor-this"})
	var unmet variant.Unmet
	if !errors.As(err, &unmet) || unmet.Reason != "not in PATH: no-such-command, nor-this" {
		t.Errorf("got %v", err)
	}
}

func TestPythonIsTheOneThatHasTheModules(t *testing.T) {
	environment := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	python, err := variant.FindPython(context.Background(), environment, []string{"json", "os.path"})
	if err != nil || !filepath.IsAbs(python) {
		t.Fatalf("Python with json: %q, %v", python, err)
	}
	_, err = variant.FindPython(context.Background(), environment, []string{"json", "no_such_module"})
	var unmet variant.Unmet
	if !errors.As(err, &unmet) ||
		!strings.Contains(unmet.Reason, "no Python with json, no_such_module") ||
		!strings.Contains(unmet.Reason, "No module named") {
		t.Errorf("got %v", err)
	}
}
