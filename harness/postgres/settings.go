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
# What a server lays out in memory before it accepts anybody is most of its start. Room for 6,400
# locks, as a default installation has with its 100 connections.
max_locks_per_transaction = 32
max_pred_locks_per_transaction = 10
wal_buffers = 128kB
autovacuum_max_workers = 1
# Without wal_level = logical nobody could subscribe to anything here.
max_logical_replication_workers = 0
jit = off
# Private sockets only; a worker comes through the harness.
listen_addresses = ''
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] %d '
`
