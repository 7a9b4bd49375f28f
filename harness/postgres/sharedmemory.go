package postgres

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// idLine is the line of postmaster.pid that holds the key and the id of the server's System V
// shared memory segment (PostgreSQL's src/include/utils/pidfile.h).
const idLine = 7

// removeSharedMemory removes the System V segment of a server that was killed: nobody else would,
// once its data directory is gone. An orderly server removes its own, and postmaster.pid with it.
func removeSharedMemory(data string) error {
	content, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return nil // never started, or stopped in order
	}
	lines := bytes.Split(content, []byte("\n"))
	if len(lines) < idLine {
		return nil
	}
	fields := bytes.Fields(lines[idLine-1])
	if len(fields) != 2 {
		return nil
	}
	key, errKey := strconv.ParseUint(string(fields[0]), 10, 32)
	id, errID := strconv.Atoi(string(fields[1]))
	if errKey != nil || errID != nil {
		return nil
	}
	var segment unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &segment); err != nil {
		return nil // gone already
	}
	if uint32(segment.Perm.Key) != uint32(key) || segment.Nattch != 0 {
		return nil // the id is somebody else's by now
	}
	if _, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil); err != nil {
		return fmt.Errorf("remove the shared memory segment %d of a killed server: %w", id, err)
	}
	return nil
}
