-- One value that changes when anything does that TRUNCATE does not undo: what a database's owner has
-- defined, its statistics, settings, large objects and prepared transactions. The rows of catalogs
-- are known by the transaction that wrote them; of pg_class, whose rows TRUNCATE writes, by what
-- they say.
SELECT md5(string_agg(thing, E'\n' ORDER BY thing)) FROM (
    SELECT 'class ' || (to_jsonb(c) - '{relfilenode,relpages,reltuples,relallvisible,relfrozenxid,relminmxid}'::text[])::text
        FROM pg_catalog.pg_class c WHERE oid >= 16384
    UNION ALL SELECT 'attribute ' || attrelid || ' ' || attnum || ' ' || xmin FROM pg_catalog.pg_attribute WHERE attrelid >= 16384
    UNION ALL SELECT 'default ' || oid || ' ' || xmin FROM pg_catalog.pg_attrdef
    UNION ALL SELECT 'constraint ' || oid || ' ' || xmin FROM pg_catalog.pg_constraint WHERE oid >= 16384
    UNION ALL SELECT 'index ' || indexrelid || ' ' || xmin FROM pg_catalog.pg_index WHERE indexrelid >= 16384
    UNION ALL SELECT 'trigger ' || oid || ' ' || xmin FROM pg_catalog.pg_trigger
    UNION ALL SELECT 'rule ' || oid || ' ' || xmin FROM pg_catalog.pg_rewrite WHERE oid >= 16384
    UNION ALL SELECT 'policy ' || oid || ' ' || xmin FROM pg_catalog.pg_policy
    UNION ALL SELECT 'sequence ' || seqrelid || ' ' || xmin FROM pg_catalog.pg_sequence
    UNION ALL SELECT 'inherits ' || inhrelid || ' ' || inhparent || ' ' || xmin FROM pg_catalog.pg_inherits
    UNION ALL SELECT 'type ' || oid || ' ' || xmin FROM pg_catalog.pg_type WHERE oid >= 16384
    UNION ALL SELECT 'enum ' || oid || ' ' || xmin FROM pg_catalog.pg_enum
    UNION ALL SELECT 'function ' || oid || ' ' || xmin FROM pg_catalog.pg_proc WHERE oid >= 16384
    UNION ALL SELECT 'operator ' || oid || ' ' || xmin FROM pg_catalog.pg_operator WHERE oid >= 16384
    UNION ALL SELECT 'cast ' || oid || ' ' || xmin FROM pg_catalog.pg_cast WHERE oid >= 16384
    UNION ALL SELECT 'schema ' || oid || ' ' || xmin FROM pg_catalog.pg_namespace
        WHERE (oid >= 16384 OR nspname = 'public') AND nspname NOT LIKE 'pg\_%temp\_%' -- stay when their tables go
    UNION ALL SELECT 'extension ' || oid || ' ' || xmin FROM pg_catalog.pg_extension
    UNION ALL SELECT 'event trigger ' || oid || ' ' || xmin FROM pg_catalog.pg_event_trigger
    UNION ALL SELECT 'publication ' || oid || ' ' || xmin FROM pg_catalog.pg_publication
    UNION ALL SELECT 'publication table ' || oid || ' ' || xmin FROM pg_catalog.pg_publication_rel
    UNION ALL SELECT 'privileges ' || oid || ' ' || xmin FROM pg_catalog.pg_default_acl
    UNION ALL SELECT 'extended statistics ' || oid || ' ' || xmin FROM pg_catalog.pg_statistic_ext
    UNION ALL SELECT 'statistics ' || starelid || ' ' || staattnum || ' ' || xmin FROM pg_catalog.pg_statistic WHERE starelid >= 16384
    UNION ALL SELECT 'comment ' || objoid || ' ' || objsubid || ' ' || xmin FROM pg_catalog.pg_description WHERE objoid >= 16384
    UNION ALL SELECT 'large object ' || oid || ' ' || xmin FROM pg_catalog.pg_largeobject_metadata
    UNION ALL SELECT 'prepared transaction ' || gid FROM pg_catalog.pg_prepared_xacts WHERE database = current_database()
    UNION ALL SELECT 'settings ' || s.setrole || ' ' || s.setconfig::text
        FROM pg_catalog.pg_db_role_setting s JOIN pg_catalog.pg_database d ON d.oid = s.setdatabase
        WHERE d.datname = current_database()
) AS things(thing)
