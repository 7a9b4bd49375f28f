-- The movable clock of one database. It is installed before any schema is loaded: defaults, views
-- and functions refer to a function by its identity, so what they call now() has to be this one.
--
-- The four functions of PostgreSQL's documentation, section 9.9.5, are renamed and replaced. The
-- replacements keep volatility, parallel safety and cost, so that plans stay what they were: an
-- index is still used for "due_at <= now()". They are in pg_catalog, so every search_path sees them.
SET LOCAL allow_system_table_mods = on;

CREATE SCHEMA lostreply;
GRANT USAGE ON SCHEMA lostreply TO PUBLIC;

-- One row for each time the clock was set or advanced: from the real instant `since` on, the clock
-- shows `frozen_at` (or real time, where that is null) plus `ahead`. A transaction keeps the row
-- that its own beginning falls under, so an advance never moves its now() under its feet.
CREATE TABLE lostreply.clock (
    since     timestamptz PRIMARY KEY,
    frozen_at timestamptz,
    ahead     interval NOT NULL
);
INSERT INTO lostreply.clock VALUES ('-infinity', NULL, interval '0');
GRANT SELECT ON lostreply.clock TO PUBLIC;

ALTER FUNCTION pg_catalog.now() RENAME TO lostreply_real_now;
ALTER FUNCTION pg_catalog.transaction_timestamp() RENAME TO lostreply_real_transaction_timestamp;
ALTER FUNCTION pg_catalog.statement_timestamp() RENAME TO lostreply_real_statement_timestamp;
ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO lostreply_real_clock_timestamp;

CREATE FUNCTION pg_catalog.now() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE COST 1
BEGIN ATOMIC
    SELECT coalesce(c.frozen_at, pg_catalog.lostreply_real_now()) + c.ahead
    FROM lostreply.clock c WHERE c.since <= pg_catalog.lostreply_real_now()
    ORDER BY c.since DESC LIMIT 1;
END;

CREATE FUNCTION pg_catalog.transaction_timestamp() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE COST 1
BEGIN ATOMIC
    SELECT coalesce(c.frozen_at, pg_catalog.lostreply_real_now()) + c.ahead
    FROM lostreply.clock c WHERE c.since <= pg_catalog.lostreply_real_now()
    ORDER BY c.since DESC LIMIT 1;
END;

CREATE FUNCTION pg_catalog.statement_timestamp() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE COST 1
BEGIN ATOMIC
    SELECT coalesce(c.frozen_at, pg_catalog.lostreply_real_statement_timestamp()) + c.ahead
    FROM lostreply.clock c WHERE c.since <= pg_catalog.lostreply_real_statement_timestamp()
    ORDER BY c.since DESC LIMIT 1;
END;

CREATE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz
LANGUAGE sql VOLATILE PARALLEL SAFE COST 1
BEGIN ATOMIC
    SELECT coalesce(c.frozen_at, pg_catalog.lostreply_real_clock_timestamp()) + c.ahead
    FROM lostreply.clock c ORDER BY c.since DESC LIMIT 1;
END;
