-- $1: microseconds. The newest row is copied with more ahead; two advances at the same microsecond
-- of real time stay two rows.
INSERT INTO lostreply.clock (since, frozen_at, ahead)
SELECT greatest(pg_catalog.lostreply_real_clock_timestamp(), since + interval '1 microsecond'),
       frozen_at,
       ahead + $1::bigint * interval '1 microsecond'
FROM lostreply.clock ORDER BY since DESC LIMIT 1
