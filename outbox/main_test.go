package outbox_test

import (
	"testing"

	"lostreply/harness/postgres/postgrestest"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }
