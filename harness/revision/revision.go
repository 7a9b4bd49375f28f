// Package revision checks out revisions of a git repository, each into a work tree of its own, so
// that programs of two of them can be built and run side by side. The caller's own tree is left
// alone.
package revision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"lostreply/harness/strict"
)

// Repository is a git repository with a work tree.
type Repository struct {
	// Root is the outermost folder of the work tree, an absolute path without symbolic links.
	Root string
}

// Of finds the repository that a folder belongs to.
func Of(ctx context.Context, folder string) (Repository, error) {
	root, err := git(ctx, folder, "rev-parse", "--show-toplevel")
	if err != nil {
		return Repository{}, fmt.Errorf("no git repository here: %w", err)
	}
	return Repository{Root: root}, nil
}

// Commit is the commit that a revision names. The error of one that names none says what is valid.
func (r Repository) Commit(ctx context.Context, revision string) (string, error) {
	commit, err := git(ctx, r.Root, "rev-parse", "--verify", "--quiet", "--end-of-options",
		revision+"^{commit}")
	if err == nil {
		return commit, nil
	}
	names, listing := git(ctx, r.Root, "for-each-ref", "--format=%(refname:short)",
		"refs/heads", "refs/tags", "refs/remotes")
	if listing != nil {
		return "", errors.Join(err, listing)
	}
	return "", fmt.Errorf("%s; or any commit, such as HEAD~1",
		strict.Unknown("revision", revision, append(strings.Fields(names), "HEAD")))
}

// CheckOut puts a commit into a new work tree at folder, which must not be there yet. What it
// returns takes the work tree away again.
func (r Repository) CheckOut(
	ctx context.Context, commit, folder string,
) (remove func(context.Context) error, err error) {
	_, err = git(ctx, r.Root, "worktree", "add", "--detach", "--quiet", folder, commit)
	if err != nil {
		return nil, fmt.Errorf("check out %s: %w", commit, err)
	}
	return func(ctx context.Context) error {
		if _, err := git(ctx, r.Root, "worktree", "remove", "--force", folder); err != nil {
			return fmt.Errorf("take away the work tree of %s: %w; do so by hand", commit, err)
		}
		return nil
	}, nil
}

// Relative is a file's path from the root, when it lies below that.
func (r Repository) Relative(file string) (string, error) {
	absolute, err := filepath.Abs(file)
	if err == nil {
		absolute, err = filepath.EvalSymlinks(absolute)
	}
	if err != nil {
		return "", fmt.Errorf("where is %s? %w", file, err)
	}
	relative, err := filepath.Rel(r.Root, absolute)
	if err != nil || !filepath.IsLocal(relative) {
		return "", fmt.Errorf("%s is not in the repository %s: a revision holds only what is", file,
			r.Root)
	}
	return relative, nil
}

// git runs one command of git and returns what it prints.
func git(ctx context.Context, folder string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", append([]string{"-C", folder}, arguments...)...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", arguments[0], err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(stdout.String()), nil
}
