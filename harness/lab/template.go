package lab

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
	"lostreply/harness/postgres"
	"lostreply/harness/scenario"
)

// templateKey names a template: a system's database with a clock, and the variant when the system's
// own programs make its schema.
type templateKey struct {
	system, database, clock, variant string
}

// shelf hands out databases of a scenario's system, made from a template that is loaded once.
func (l *Lab) shelf(s *scenario.Scenario, database string) *once[*shelf] {
	key := templateKey{system: s.Under.File, database: database, clock: s.ClockMode()}
	definition, _ := s.Under.Databases.Get(database)
	if len(definition.Setup) > 0 {
		key.variant = l.VariantOf(s)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.templates[key] == nil {
		number := len(l.templates) + 1
		l.templates[key] = newOnce(func(ctx context.Context) (*shelf, error) {
			server, err := l.server.get(ctx)
			if err != nil {
				return nil, err
			}
			name := templateName(number, s.Under.Name.Value, database)
			template, blank, err := l.makeTemplate(ctx, server, name, s, database)
			if err != nil {
				return nil, err
			}
			made := &shelf{server: server, blank: blank, clock: key.clock,
				clones: postgres.NewClones(server, template, l.options.Parallel)}
			if _, own := server.(*postgres.Server); own {
				l.afterClose(made.forget)
			} else {
				l.onClose(made.close)
			}
			return made, nil
		})
	}
	return l.templates[key]
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

func templateName(number int, parts ...string) string {
	name := notInName.ReplaceAllString(strings.ToLower(strings.Join(parts, "_")), "_")
	const most = 30
	if len(name) > most {
		name = name[:most]
	}
	return fmt.Sprintf("t%d_%s", number, name)
}

// makeTemplate makes one database with the system's schema, and its clock as the scenario wants it.
// It gives what is to be known to make a used copy blank again; nil when that can't be.
func (l *Lab) makeTemplate(
	ctx context.Context, server postgres.Cluster, name string, s *scenario.Scenario, database string,
) (template string, blank *postgres.Blank, err error) {
	kind := clockOf(s)
	if reason := server.Capabilities().NoClock; kind == postgres.MovableClock && reason != nil {
		return "", nil, fmt.Errorf("%w; or set clock: real in %s", reason, s.Under.File)
	}
	template, err = server.CreateTemplate(ctx, name, kind,
		func(ctx context.Context, conn *pgx.Conn) error {
			if err := l.fill(ctx, server, conn, s, database); err != nil || l.options.Fresh {
				return err
			}
			blank, err = postgres.Survey(ctx, conn)
			return err
		})
	if err != nil {
		return "", nil, fmt.Errorf("database %s of system %s: %w", database, s.Under.Name.Value, err)
	}
	return template, blank, nil
}

// clockOf is the clock that the scenario's databases are made with.
func clockOf(s *scenario.Scenario) postgres.Clock {
	if s.ClockMode() == scenario.ClockReal {
		return postgres.RealClock
	}
	return postgres.MovableClock
}

// fill sets a new database's clock as the scenario wants it, and loads the schema.
func (l *Lab) fill(
	ctx context.Context, server postgres.Cluster, conn *pgx.Conn, s *scenario.Scenario,
	database string,
) error {
	if mode := s.ClockMode(); mode != scenario.ClockReal {
		if err := clock.Reset(ctx, conn, clock.Mode(mode)); err != nil {
			return err
		}
	}
	return l.loadSchema(ctx, server, conn, s, database)
}

// loadSchema fills a template: from the schema file, or by the system's own programs.
func (l *Lab) loadSchema(
	ctx context.Context, server postgres.Cluster, conn *pgx.Conn, s *scenario.Scenario,
	database string,
) error {
	definition, _ := s.Under.Databases.Get(database)
	if path := definition.Schema.Value; path != "" {
		schema, err := os.ReadFile(s.Under.Path(path))
		if err != nil {
			return fmt.Errorf("read schema: %w", err)
		}
		if s.ClockMode() != scenario.ClockReal {
			for _, word := range clock.Uncaught(string(schema)) {
				l.options.Log(fmt.Sprintf("warning: %s uses %s, which `advance` does not move: "+
					"write now()", s.Under.Path(path), word))
			}
		}
		if _, err := conn.Exec(ctx, string(schema), pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("load %s: %w", s.Under.Path(path), err)
		}
	}
	for _, program := range definition.Setup {
		if err := l.setUp(ctx, server, conn.Config().Database, s, database, program.Value); err != nil {
			return fmt.Errorf("set up by program %s: %w", program.Value, err)
		}
	}
	return l.tellDeletes(ctx, conn, s.Under.Name.Value, database)
}
