package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"lostreply/harness/clock"
)

// Stop shuts the server down as an administrator would ("fast": open transactions are rolled back),
// harder when that does not end it, and confirms that no process of it is left. The data stays:
// Restart brings it back.
func (s *Server) Stop(ctx context.Context) error {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		ended, err := s.end(ctx, signal)
		if err != nil {
			return fmt.Errorf("stop PostgreSQL: %w", err)
		}
		if ended {
			s.forget()
			return nil
		}
	}
	return s.Crash(ctx)
}

// Crash kills the postmaster and every backend (SIGKILL) and confirms that none is left, as when
// the machine kills the server. What was committed is there again after Restart.
func (s *Server) Crash(ctx context.Context) error {
	ctx, cancel := clock.WithDeadline(ctx, stopLimit)
	defer cancel()
	if err := s.crash(ctx); err != nil {
		return fmt.Errorf("crash PostgreSQL: %w", err)
	}
	s.forget()
	return nil
}

// crash stops the postmaster before it looks who there is, so that no backend is born unseen.
func (s *Server) crash(ctx context.Context) error {
	process, postmaster := s.running(), 0
	if process != nil {
		postmaster = process.pid
		if err := process.signal(syscall.SIGSTOP); err != nil {
			return fmt.Errorf("stop process %d: %w", postmaster, err)
		}
		err := clock.Until(ctx, func(context.Context) (bool, error) {
			state, _, alive := status(postmaster)
			return !alive || state == 'T' || state == 'Z', nil
		})
		if err != nil {
			return fmt.Errorf("wait for process %d to be stopped: %w", postmaster, err)
		}
	}
	killed, err := killMembers(ctx, s.dir.data(), postmaster)
	if err != nil {
		return err
	}
	if process != nil {
		select { // spawn collects it
		case <-process.exited:
		case <-ctx.Done():
			return fmt.Errorf("wait for the end of process %d: %w", postmaster, context.Cause(ctx))
		}
	}
	orphans := slices.DeleteFunc(killed, func(pid int) bool { return pid == postmaster })
	return collect(ctx, orphans)
}

// end signals the postmaster and waits until it has ended. False: it has not, within stopLimit.
func (s *Server) end(ctx context.Context, signal syscall.Signal) (bool, error) {
	process := s.running()
	if process == nil {
		return true, nil
	}
	if err := process.signal(signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		return false, fmt.Errorf("send %s to process %d: %w", signal, process.pid, err)
	}
	waiting, cancel := clock.WithDeadline(ctx, stopLimit)
	defer cancel()
	select {
	case <-process.exited:
		return true, nil
	case <-waiting.Done():
		return false, ctx.Err()
	}
}

// Restart starts the server again on its data, after Crash or Stop; a running one is stopped first.
// It returns when the server accepts connections, recovery from its log included.
func (s *Server) Restart(ctx context.Context) error {
	if s.running() != nil {
		if err := s.Stop(ctx); err != nil {
			return err
		}
	}
	if err := s.launch(ctx); err != nil {
		return fmt.Errorf("restart PostgreSQL: %w", err)
	}
	return nil
}

// Close ends the server at once and removes its directory, with all data. It does so even when ctx
// has ended, so that an interrupted run leaves nothing.
func (s *Server) Close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	_, err := s.end(ctx, syscall.SIGQUIT) // takes the backends with it; needs no checkpoint
	s.forget()
	return errors.Join(err, s.Crash(ctx), s.dir.remove())
}

// forgetReusedPid removes a stale postmaster.pid whose process id now belongs to somebody else: the
// server would refuse to start. A truly stale one is left to the server, which frees by it the
// shared memory that the killed one has left.
func forgetReusedPid(data string) error {
	path := filepath.Join(data, "postmaster.pid")
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the pid file of a stopped server: %w", err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil || isMember(pid, data) || syscall.Kill(pid, 0) != nil {
		return nil // unreadable, truly running or truly gone: the server knows what to do
	}
	return os.Remove(path)
}
