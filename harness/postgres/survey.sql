-- What a blank database has that a run can fill: its tables and its sequences, and what keeps it
-- from being blanked by TRUNCATE. The harness's own schema is left out: it has its own reset.
WITH own AS (
    SELECT c.oid, c.relkind, format('%I.%I', n.nspname, c.relname) AS name
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'lostreply')
      AND n.nspname NOT LIKE 'pg\_toast%' AND n.nspname NOT LIKE 'pg\_temp%'
)
SELECT coalesce(array_agg(name ORDER BY oid) FILTER (WHERE relkind IN ('r', 'p')), '{}'),
       coalesce(array_agg(name ORDER BY oid) FILTER (WHERE relkind = 'S'), '{}'),
       coalesce(array_agg(name ORDER BY oid) FILTER (WHERE relkind IN ('f', 'm')), '{}')
           || (SELECT coalesce(array_agg(tgname::text), '{}') FROM pg_catalog.pg_trigger
               WHERE tgtype::int & 32 <> 0) -- fires on TRUNCATE
FROM own
