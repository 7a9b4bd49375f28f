// Package launch puts together what a program is executed as: its command with the arguments in
// place, and the environment that it gets. It starts nothing.
package launch

import (
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"lostreply/harness/process"
	"lostreply/harness/scenario"
)

// Values are what the ${name}s of a program stand for, for one life of a worker.
type Values map[string]string

// AuthorityFile is the name under which the values hold the file of the run's certificate
// authority.
const AuthorityFile = "lostreply.authority"

// NewValues begins with the worker's own name.
func NewValues(worker string) Values { return Values{scenario.WorkerName: worker} }

// Endpoint is what a database tells of itself besides its address.
type Endpoint interface {
	// URL is the database's URL at an address.
	URL(host string, port int) string
	// Fields are the role, the password and the database's name in its server.
	Fields() (user, password, name string)
}

// AddDatabase adds ${NAME.url} and its kin for a database that is reached at an address.
func (v Values) AddDatabase(name, address string, database Endpoint) error {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("listener of database %s: %w", name, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return fmt.Errorf("listener of database %s: %w", name, err)
	}
	user, password, inServer := database.Fields()
	maps.Copy(v, Values{
		name + ".url": database.URL(host, port), name + ".host": host, name + ".port": portText,
		name + ".user": user, name + ".password": password, name + ".name": inServer,
	})
	return nil
}

// AddArguments adds ${args.NAME} for the arguments that a program is given.
func (v Values) AddArguments(given map[string]string) {
	for name, value := range given {
		v["args."+name] = value
	}
}

// ChoosePorts finds a free port of 127.0.0.1 for each ${port.NAME} of a program.
func (v Values) ChoosePorts(program *scenario.Program) error {
	var texts []string
	for _, word := range program.Command {
		texts = append(texts, word.Value)
	}
	for _, variable := range program.Env.Entries {
		texts = append(texts, variable.Value.Value)
	}
	if program.Ready != nil {
		texts = append(texts, program.Ready.HTTP.Value)
	}
	for _, name := range scenario.Placeholders(strings.Join(texts, "\n")) {
		if !strings.HasPrefix(name, "port.") || v[name] != "" {
			continue
		}
		port, err := freePort()
		if err != nil {
			return fmt.Errorf("find a free port for ${%s}: %w", name, err)
		}
		v[name] = port
	}
	return nil
}

func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return "", err
	}
	return port, listener.Close()
}

// Spec is what is executed: the program's command with its arguments, its folder and its
// environment. The caller resolves the path and adds name, marker and keeper. Only is the database
// that DATABASE_URL and the PG variables lead to; empty for none.
func Spec(
	system *scenario.System, program *scenario.Program, arguments []string, values Values,
	only string,
) (process.Spec, error) {
	command, err := commandLine(program, arguments, values)
	if err != nil {
		return process.Spec{}, err
	}
	environment := standardEnvironment(values, only)
	for _, variable := range program.Env.Entries {
		value, err := scenario.Expand(variable.Value.Value, values)
		if err != nil {
			return process.Spec{}, fmt.Errorf("environment %s: %w", variable.Name, err)
		}
		environment[variable.Name] = value
	}
	folder, err := filepath.Abs(system.Path(program.Folder.Value))
	if err != nil {
		return process.Spec{}, fmt.Errorf("working directory: %w", err)
	}
	return process.Spec{
		Path: command[0], Args: command[1:], Dir: folder,
		Env: process.Environment(nil, environment),
	}, nil
}

// commandLine is a program's command with its arguments: those that it places itself, then the
// others as --NAME=VALUE.
func commandLine(
	program *scenario.Program, arguments []string, values Values,
) ([]string, error) {
	placed := map[string]bool{}
	var command []string
	for _, word := range program.Command {
		for _, name := range scenario.Placeholders(word.Value) {
			placed[name] = true
		}
		expanded, err := scenario.Expand(word.Value, values)
		if err != nil {
			return nil, fmt.Errorf("command: %w", err)
		}
		command = append(command, expanded)
	}
	for _, name := range arguments {
		if !placed["args."+name] {
			command = append(command, "--"+name+"="+values["args."+name])
		}
	}
	return command, nil
}

// standardEnvironment is what every program gets: its worker's name and, where one database is
// meant, where that is.
func standardEnvironment(values Values, only string) map[string]string {
	environment := map[string]string{"LOSTREPLY_WORKER_NAME": values[scenario.WorkerName]}
	if file := values[AuthorityFile]; file != "" {
		environment["PGSSLROOTCERT"], environment["NODE_EXTRA_CA_CERTS"] = file, file
	}
	if folder := values[scenario.InstallName]; folder != "" {
		environment["NODE_PATH"] = filepath.Join(folder, "node_modules")
	}
	if only == "" {
		return environment
	}
	environment["PGSSLMODE"] = "disable" // who demands TLS in its own words gets it all the same
	for variable, field := range map[string]string{
		"DATABASE_URL": "url", "PGHOST": "host", "PGPORT": "port", "PGUSER": "user",
		"PGDATABASE": "name", "PGPASSWORD": "password",
	} {
		if value := values[only+"."+field]; value != "" {
			environment[variable] = value
		}
	}
	return environment
}
