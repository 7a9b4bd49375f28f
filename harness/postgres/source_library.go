package postgres

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// librarySource is the download of the library embedded-postgres, which compares what it gets with
// the SHA-256 published beside it.
func librarySource(options Options) source {
	return source{
		name: "the library's download",
		key:  "library",
		fix:  "let this machine reach the library's Maven repository, or name a mirror",
		find: func(ctx context.Context, dir string) (string, error) {
			options.Log("postgres: downloading PostgreSQL " + Version)
			ctx, cancel := withFetchLimit(ctx)
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- libraryFetch(dir, options.RepositoryURL) }()
			select {
			case err := <-ended:
				return filepath.Join(dir, "native", "bin"), err
			case <-ctx.Done():
				// The library can't be interrupted. What it may still write is in a partial
				// folder, which the next holder of the cache's lock clears.
				return "", context.Cause(ctx)
			}
		},
	}
}

// libraryFetch has the library fetch and unpack the binaries, and nothing else. It has no call for
// that: its Start goes on to start a daemon of its own, which a killed parent would leave behind
// and which root may not have. So it is given a data directory that it takes for one to use again,
// in which no server can start; that its Start fails there is expected, and what counts is whether
// the binaries have come.
func libraryFetch(dir, repositoryURL string) (err error) {
	defer func() { // the library panics when it can't remove a temporary file
		if trouble := recover(); trouble != nil {
			err = fmt.Errorf("the library panicked: %v", trouble)
		}
	}()
	port, err := freePort()
	if err != nil {
		return err
	}
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		return err
	}
	major, _, _ := strings.Cut(Version, ".")
	if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte(major+"\n"), 0o600); err != nil {
		return err
	}
	var output bytes.Buffer
	config := embeddedpostgres.DefaultConfig().
		Version(embeddedpostgres.PostgresVersion(Version)).
		BinariesPath(filepath.Join(dir, "native")).
		RuntimePath(filepath.Join(dir, "runtime")).
		CachePath(filepath.Join(dir, "archive")).
		DataPath(data).
		Port(uint32(port)).
		Locale("C").
		Logger(&output)
	if repositoryURL != "" {
		config = config.BinaryRepositoryURL(repositoryURL)
	}
	database := embeddedpostgres.NewDatabase(config)
	startError := database.Start()
	if startError == nil {
		return fmt.Errorf("the library started a server on no data: %w", database.Stop())
	}
	if _, err := os.Stat(filepath.Join(dir, "native", "bin", "postgres")); err != nil {
		return startError
	}
	return nil
}

// freePort is a TCP port of this machine that is free now. The library insists on one.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}
