// Package lab keeps what outlives a run: the PostgreSQL server, the built programs, the templates
// that databases are cloned from, and the keeper that ends everything when the harness dies.
package lab

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"lostreply/harness/postgres"
	"lostreply/harness/process"
	"lostreply/harness/scenario"
	"lostreply/harness/variant"
)

// Options say where things come from.
type Options struct {
	// PostgresURL is somebody's server; empty for one of our own.
	PostgresURL string
	// PostgresDirectory is an explicit directory of binaries; empty for the usual sources.
	PostgresDirectory string
	// CacheDir keeps binaries and builds between runs. Default: postgres.DefaultCacheDir.
	CacheDir string
	// Variant is the build of the systems that everything is run against, in place of the scenarios'
	// own: a defect, or a variant that the system file names.
	Variant string
	// Parallel is how many scenarios run at once: as many databases are made ahead.
	Parallel int
	// Fresh gives each scenario databases that nobody has used before, and each connection a backend
	// of its own. Without it they are made blank again, and backends are kept warm.
	Fresh bool
	// Keep leaves databases as they are.
	Keep bool
	// Log is told, a line each, what takes time.
	Log func(line string)
}

// Lab is what the scenarios of one run of the harness share.
type Lab struct {
	options Options
	run     string
	keeper  *process.Keeper
	// strangers are those who are known to belong to no worker.
	strangers *process.Strangers
	stages    atomic.Int64 // how many runs have been named
	// toldDeletes are the databases, by system, of which tellDeletes has spoken.
	toldDeletes sync.Map

	builder, staticBuilder *variant.Builder
	installer              *variant.Installer

	mutex      sync.Mutex
	binaries   *once[postgres.Binaries]
	server     *once[postgres.Cluster]
	authority  *once[Authority]
	templates  map[templateKey]*once[*shelf]
	builds     map[buildKey]*once[string]
	provisions map[string]*once[string]
	closers    []func(context.Context) error
	forgetters []func(context.Context)
	kept       []string
}

// Open sets up a lab. Nothing is provided before it is needed. It must be closed.
func Open(options Options) (*Lab, error) {
	if options.CacheDir == "" {
		options.CacheDir = postgres.DefaultCacheDir()
	}
	if options.Parallel < 1 {
		options.Parallel = 2 * runtime.NumCPU()
	}
	options.Log = eachOnce(options.Log)
	if err := process.BecomeSubreaper(); err != nil {
		return nil, fmt.Errorf("open the lab: %w", err)
	}
	name := make([]byte, 6)
	if _, err := rand.Read(name); err != nil {
		return nil, fmt.Errorf("name the run: %w", err)
	}
	lab := &Lab{
		options: options, run: hex.EncodeToString(name),
		strangers: process.NewStrangers(),
		templates: map[templateKey]*once[*shelf]{}, builds: map[buildKey]*once[string]{},
		provisions: map[string]*once[string]{},
	}
	lab.binaries = newOnce(lab.findPostgres)
	lab.server = newOnce(lab.openServer)
	lab.authority = newOnce(lab.makeAuthority)
	builds := filepath.Join(options.CacheDir, "builds")
	lab.builder = &variant.Builder{CacheDir: builds}
	lab.staticBuilder = &variant.Builder{CacheDir: builds, Environment: []string{"CGO_ENABLED=0"}}
	lab.installer = &variant.Installer{
		CacheDir: filepath.Join(options.CacheDir, "installs"), Log: options.Log,
	}
	keeper, err := process.StartKeeper(lab.run, nil)
	if err != nil {
		return nil, fmt.Errorf("open the lab: %w", err)
	}
	lab.keeper = keeper
	return lab, nil
}

// eachOnce tells a line once, however many servers and templates have it to say; nil tells nothing.
func eachOnce(log func(string)) func(string) {
	var mutex sync.Mutex
	told := map[string]bool{}
	return func(line string) {
		mutex.Lock()
		defer mutex.Unlock()
		if log != nil && !told[line] {
			log(line)
		}
		told[line] = true
	}
}

// Run names this run of the harness, in the markers of its processes.
func (l *Lab) Run() string { return l.run }

// NameStage names one run of a scenario. No two runs share a name, not of two systems' scenarios of
// one id, nor of one scenario that is repeated: processes are told apart by it, and what bears
// another's name would be ended with it.
func (l *Lab) NameStage(s *scenario.Scenario) string {
	return fmt.Sprintf("%s:%s:%d", s.Under.Name.Value, s.Name(), l.stages.Add(1))
}

// Keeper ends every worker when the harness dies.
func (l *Lab) Keeper() *process.Keeper { return l.keeper }

// Strangers is what all workers know of who belongs to none of them.
func (l *Lab) Strangers() *process.Strangers { return l.strangers }

// Prepare provides what the scenarios will need, side by side: the server, the builds, and then the
// templates. Its error is the first trouble: no PostgreSQL, or a program that does not build.
func (l *Lab) Prepare(ctx context.Context, scenarios []*scenario.Scenario) error {
	group, ctx := errgroup.WithContext(ctx)
	needsServer := false
	for _, s := range scenarios {
		needsServer = needsServer || s.Under.Databases.Len() > 0
	}
	if needsServer {
		group.Go(func() error {
			_, err := l.server.get(ctx)
			return err
		})
	}
	runnable := l.runnable(ctx, scenarios)
	group.Go(func() error { return l.prepareTemplates(ctx, runnable) })
	group.Go(func() error { return l.prepareBuilds(ctx, runnable) })
	return group.Wait()
}

func (l *Lab) prepareTemplates(ctx context.Context, scenarios []*scenario.Scenario) error {
	for _, s := range scenarios {
		for _, database := range s.Under.Databases.Names() {
			if s.NeedsServerFor(database) {
				continue
			}
			if _, err := l.shelf(s, database).get(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// openServer finds the binaries and starts the server that scenarios share, or connects to
// somebody's.
func (l *Lab) openServer(ctx context.Context) (postgres.Cluster, error) {
	if l.options.PostgresURL != "" {
		server, err := postgres.External(ctx, l.options.PostgresURL)
		if err != nil {
			return nil, err
		}
		l.onClose(server.Close)
		for _, line := range server.SweepLeftovers(ctx) {
			l.options.Log(line)
		}
		return server, nil
	}
	server, err := l.startServer(ctx)
	if err != nil {
		return nil, err
	}
	l.onClose(server.Close)
	return server, nil
}

// findPostgres finds the programs of PostgreSQL, and ends what dead runs have left of them.
func (l *Lab) findPostgres(ctx context.Context) (postgres.Binaries, error) {
	binaries, err := postgres.Provision(ctx, postgres.Options{
		Directory: l.options.PostgresDirectory, CacheDir: l.options.CacheDir, Log: l.options.Log,
	})
	if err != nil {
		return postgres.Binaries{}, err
	}
	base, err := postgres.RunBase()
	if err != nil {
		return postgres.Binaries{}, err
	}
	swept, err := postgres.SweepStale(ctx, base)
	for _, line := range swept {
		l.options.Log(line)
	}
	return binaries, err
}

// startServer starts a server of our own.
func (l *Lab) startServer(ctx context.Context) (*postgres.Server, error) {
	binaries, err := l.binaries.get(ctx)
	if err != nil {
		return nil, err
	}
	return postgres.Start(ctx, binaries, postgres.StartOptions{})
}

func (l *Lab) onClose(closer func(context.Context) error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.closers = append(l.closers, closer)
}

// afterClose has something forgotten that is gone when everything is closed.
func (l *Lab) afterClose(forget func(context.Context)) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.forgetters = append(l.forgetters, forget)
}

// Close ends what the lab holds, the last first: databases, servers, the keeper.
func (l *Lab) Close(ctx context.Context) error {
	l.mutex.Lock()
	closers, forgetters := l.closers, l.forgetters
	l.closers, l.forgetters = nil, nil
	l.mutex.Unlock()
	var failures []error
	for i := len(closers) - 1; i >= 0; i-- {
		failures = append(failures, closers[i](ctx))
	}
	for _, forget := range forgetters {
		forget(ctx)
	}
	kept, err := l.keeper.Close()
	failures = append(failures, err)
	for _, left := range kept.Killed {
		failures = append(failures, fmt.Errorf("a process was left over and has been killed: %s", left))
	}
	for _, failed := range kept.Failed {
		failures = append(failures, errors.New(failed))
	}
	return errors.Join(failures...)
}

// PostgresDirectoryFromEnvironment is the explicit directory of binaries that the environment
// names.
func PostgresDirectoryFromEnvironment() string { return os.Getenv(postgres.DirectoryVariable) }

// PostgresURLFromEnvironment is the URL of somebody's server that the environment names.
func PostgresURLFromEnvironment() string { return os.Getenv(postgres.URLVariable) }
