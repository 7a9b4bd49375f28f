package postgres

// settings are appended to the postgresql.conf of every server that is started here.
const settings = `
# Nothing is made durable: what a run kills is processes, never the machine, and what the operating
# system has been given survives them.
fsync = off
full_page_writes = off
# But an acknowledged commit must have been given to it: with this off, a killed server loses some.
synchronous_commit = on

# Nothing of its own accord that takes time in one run and not in the next.
autovacuum = off
log_checkpoints = off
checkpoint_timeout = 1h
max_wal_size = 256MB
min_wal_size = 32MB

# In the data directory, so that it goes with it: elsewhere a killed server leaves it behind.
dynamic_shared_memory_type = mmap
max_connections = 200
shared_buffers = 16MB
# Private sockets only; a worker comes through the harness.
listen_addresses = ''
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] %d '
`
