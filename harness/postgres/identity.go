package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// RootVariable names the environment variable that chooses how root runs PostgreSQL, which refuses
// to run as root: "userns" or "uid". Unset, the first that works is taken.
const RootVariable = "LOSTREPLY_ROOT"

// identity is whom the programs of PostgreSQL run as. They refuse root, and initdb refuses a user
// without an account.
type identity struct {
	name    string
	account int // the uid that the programs see as their own
	group   int
	// namespace: a user namespace in which this process's own uid is the account. Files stay its own.
	namespace bool
	// handOver: a real change of uid. What the programs need is handed over to the account.
	handOver bool
}

// attributes are how a program is started as this identity: in a session of its own, so that a
// terminal's Ctrl-C does not reach it, and with a signal for when the thread that started it dies.
func (who identity) attributes(deathSignal syscall.Signal) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setsid: true, Pdeathsig: deathSignal}
	switch {
	case who.namespace:
		attributes.Cloneflags = syscall.CLONE_NEWUSER
		attributes.UidMappings = []syscall.SysProcIDMap{
			{ContainerID: who.account, HostID: os.Geteuid(), Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{
			{ContainerID: who.group, HostID: os.Getegid(), Size: 1}}
	case who.handOver:
		attributes.Credential = &syscall.Credential{Uid: uint32(who.account), Gid: uint32(who.group)}
	}
	return attributes
}

// own hands a path with all below it over to the identity, where that is somebody else.
func (who identity) own(path string) error {
	if !who.handOver {
		return nil
	}
	return filepath.WalkDir(path, func(entry string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(entry, who.account, who.group)
	})
}

// settleIdentity decides whom PostgreSQL runs as, and makes sure that they can reach the programs:
// where these lie in a home that the identity may not enter, a copy is put into a directory that it
// may. It returns the binaries to use.
func settleIdentity(ctx context.Context, binaries Binaries) (identity, Binaries, error) {
	forced := os.Getenv(RootVariable)
	binaries.settled.mutex.Lock()
	defer binaries.settled.mutex.Unlock()
	if reached, found := binaries.settled.by[forced]; found {
		return reached.who, reached.binaries, nil
	}
	who, reached, err := tryIdentities(ctx, forced, binaries)
	if err == nil {
		binaries.settled.by[forced] = settlement{who, reached}
	}
	return who, reached, err
}

// settled is what settleIdentity has found out about some binaries, for each word by which the
// environment chooses. One run of the harness starts several servers of them.
type settled struct {
	mutex sync.Mutex
	by    map[string]settlement
}

type settlement struct {
	who      identity
	binaries Binaries
}

func tryIdentities(
	ctx context.Context, forced string, binaries Binaries,
) (identity, Binaries, error) {
	candidates, err := identities(forced)
	if err != nil {
		return identity{}, Binaries{}, err
	}
	var failures []error
	for _, who := range candidates {
		reached, err := reachable(ctx, who, binaries)
		if err == nil {
			return who, reached, nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", who.name, err))
	}
	return identity{}, Binaries{}, fmt.Errorf("PostgreSQL can't be run by uid %d: %w; run as an"+
		" ordinary user with an account, or name a running server by its URL",
		os.Geteuid(), errors.Join(failures...))
}

// CheckRoot tells whether the environment chooses a way of running PostgreSQL as root that there is
// not. It starts nothing.
func CheckRoot() error { return checkWay(os.Getenv(RootVariable)) }

func checkWay(forced string) error {
	switch forced {
	case "", "userns", "uid":
		return nil
	default:
		return fmt.Errorf("%s is %q: it must be userns or uid, or unset", RootVariable, forced)
	}
}

// identities are the ways to try, in order.
func identities(forced string) ([]identity, error) {
	if err := checkWay(forced); err != nil {
		return nil, err
	}
	root := os.Geteuid() == 0
	if _, err := user.LookupId(strconv.Itoa(os.Geteuid())); err == nil && !root {
		return []identity{{name: "this user"}}, nil
	}
	account, group, err := someAccount()
	if err != nil {
		return nil, err
	}
	namespace := identity{name: fmt.Sprintf("uid %d of a user namespace", account),
		account: account, group: group, namespace: true}
	handOver := identity{name: fmt.Sprintf("uid %d", account), account: account, group: group,
		handOver: true}
	switch {
	case !root || forced == "userns":
		return []identity{namespace}, nil
	case forced == "uid":
		return []identity{handOver}, nil
	}
	return []identity{namespace, handOver}, nil
}

// someAccount is an ordinary user of this machine: initdb wants its own to have an account.
func someAccount() (account, group int, err error) {
	for _, uid := range []int{65534, 1000, 1, 2, 33, 99, 100} {
		found, err := user.LookupId(strconv.Itoa(uid))
		if err != nil {
			continue
		}
		if group, err := strconv.Atoi(found.Gid); err == nil {
			return uid, group, nil
		}
	}
	return 0, 0, errors.New("this machine has no account that PostgreSQL could run as;" +
		" add one (useradd), or name a running server by its URL")
}

// reachable runs `postgres --version` as the identity, from a copy where it has to.
func reachable(ctx context.Context, who identity, binaries Binaries) (Binaries, error) {
	err := tryRun(ctx, who, binaries.Dir)
	if !errors.Is(err, os.ErrPermission) || (!who.handOver && !who.namespace) {
		return binaries, err
	}
	if errors.Is(err, syscall.EPERM) { // the identity itself is refused, not the path
		return binaries, err
	}
	base := filepath.Join(os.TempDir(), runsName())
	if err := privateDirectory(base); err != nil {
		return binaries, err
	}
	from := filepath.Dir(binaries.Dir)
	copied := filepath.Join(base, "binaries-"+binaries.Version+"-"+filepath.Base(from))
	if _, statError := os.Stat(copied); statError != nil {
		if err := copyBinaries(from, copied, base); err != nil {
			return binaries, fmt.Errorf("copy the binaries to where they can be reached: %w", err)
		}
	}
	binaries.Dir = filepath.Join(copied, "bin")
	return binaries, tryRun(ctx, who, binaries.Dir)
}

func copyBinaries(from, to, base string) error {
	partial, err := os.MkdirTemp(base, partialPrefix)
	if err != nil {
		return err
	}
	err = os.CopyFS(partial, os.DirFS(from))
	if err == nil {
		err = os.Chmod(partial, 0o755)
	}
	if err == nil {
		err = os.Rename(partial, to)
	}
	if _, statError := os.Stat(to); statError == nil {
		err = nil // another process was first
	}
	return errors.Join(err, os.RemoveAll(partial))
}

func tryRun(ctx context.Context, who identity, dir string) error {
	command := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version")
	command.SysProcAttr = who.attributes(syscall.SIGKILL)
	out, err := command.CombinedOutput()
	if err != nil && len(out) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return err
}
