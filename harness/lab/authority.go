package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"lostreply/harness/wire"
)

// Authority is the run's own certificate authority, and the file that holds its certificate for
// programs that check whom they talk to.
type Authority struct {
	Wire *wire.Authority
	File string
}

// Authority makes the run's certificate authority the first time it is asked for.
func (l *Lab) Authority(ctx context.Context) (Authority, error) { return l.authority.get(ctx) }

func (l *Lab) makeAuthority(context.Context) (Authority, error) {
	authority, err := wire.NewAuthority()
	if err != nil {
		return Authority{}, fmt.Errorf("make the run's certificate authority: %w", err)
	}
	folder, err := os.MkdirTemp("", "lostreply-tls-")
	if err != nil {
		return Authority{}, fmt.Errorf("make the run's certificate authority: %w", err)
	}
	l.onClose(func(context.Context) error { return os.RemoveAll(folder) })
	if err := l.keeper.WatchDirectory(folder); err != nil {
		return Authority{}, err
	}
	file := filepath.Join(folder, "authority.pem")
	if err := os.WriteFile(file, authority.PEM(), 0o644); err != nil {
		return Authority{}, fmt.Errorf("write the run's certificate: %w", err)
	}
	return Authority{Wire: authority, File: file}, nil
}
