package process

import (
	"errors"
	"fmt"
	"strings"
)

// MarkerName is the environment variable by which a worker's processes are found again when they
// have left its process group. Its value is <run>/<worker>/<incarnation>.
const MarkerName = "LOSTREPLY_WORKER"

// Spec says what a worker is and how it is started.
type Spec struct {
	// Name is what messages call the worker: "worker a", "program create".
	Name string
	// Path is the program: a path, or a bare name that is looked up in the PATH of Env.
	Path string
	// Args are the arguments after the program's name.
	Args []string
	// Dir is the working directory; empty means that of the harness.
	Dir string
	// Env is the whole environment, as Environment makes it. Start adds the marker.
	Env []string
	// Marker is <run>/<worker>/<incarnation>, unique to this life of the worker on this machine.
	Marker string
	// Keeper, when set, is told of the group, so that it dies with the harness.
	Keeper *Keeper
	// Strangers, when set, is what the workers of a run know together of who belongs to none of them.
	Strangers *Strangers
	// Echo, when set, gets each line as it comes, one call at a time. The worker's output waits
	// while it runs.
	Echo func(Line)
}

// Marker puts together the marker of one life of a worker.
func Marker(run, worker string, incarnation int) string {
	return fmt.Sprintf("%s/%s/%d", run, worker, incarnation)
}

func (s Spec) check() error {
	switch {
	case s.Name == "":
		return errors.New("start a process: its Spec has no Name")
	case s.Path == "":
		return fmt.Errorf("start %s: its command is empty", s.Name)
	case s.Marker == "":
		return fmt.Errorf("start %s: its Spec has no Marker", s.Name)
	case strings.ContainsAny(s.Marker, "\x00\n"):
		return fmt.Errorf("start %s: marker %q holds a NUL or a line end", s.Name, s.Marker)
	}
	return nil
}

// environment is Env with the marker in front, in place of one that was there (a harness may itself
// run as a worker).
func (s Spec) environment() []string {
	env := []string{MarkerName + "=" + s.Marker}
	for _, entry := range s.Env {
		if !strings.HasPrefix(entry, MarkerName+"=") {
			env = append(env, entry)
		}
	}
	return env
}
