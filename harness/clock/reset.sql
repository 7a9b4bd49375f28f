-- $1: whether the clock is to stand still, at the real present. What was advanced is forgotten.
WITH forgotten AS (DELETE FROM lostreply.clock WHERE since > '-infinity')
UPDATE lostreply.clock
SET ahead = interval '0',
    frozen_at = CASE WHEN $1::boolean THEN pg_catalog.lostreply_real_clock_timestamp() END
WHERE since = '-infinity'
