package postgres_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"lostreply/harness/postgres"
	"lostreply/harness/postgres/postgrestest"
)

// A killed server can't remove its shared memory; whoever removes its directory must.
func TestCloseAfterCrashLeavesNoSharedMemory(t *testing.T) {
	ctx := context.Background()
	server, err := postgres.Start(ctx, postgrestest.Binaries(t), postgres.StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	id := segmentOf(t, filepath.Dir(server.SocketDir()))
	if !exists(id) {
		t.Fatalf("segment %d does not exist while the server runs", id)
	}
	if err := server.Crash(ctx); err != nil {
		t.Fatal(err)
	}
	if !exists(id) {
		t.Fatalf("segment %d went with the crash: the test proves nothing", id)
	}
	if err := server.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if exists(id) {
		t.Errorf("segment %d is still there: remove it with ipcrm -m %d", id, id)
	}
}

func segmentOf(t *testing.T, dir string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(strings.Split(string(content), "\n")[6])
	id, err := strconv.Atoi(fields[1])
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func exists(id int) bool {
	var segment unix.SysvShmDesc
	_, err := unix.SysvShmCtl(id, unix.IPC_STAT, &segment)
	return err == nil
}
