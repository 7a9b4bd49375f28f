-- The dispatcher's tables. The task row says how much this service knows about one delivery; the
-- attempt rows keep every observation as it was made.

CREATE TABLE channel_pref (
    user_id text    NOT NULL,
    channel text    NOT NULL,
    address text,
    enabled boolean NOT NULL DEFAULT true,
    version integer NOT NULL DEFAULT 1,
    PRIMARY KEY (user_id, channel)
);

CREATE FUNCTION channel_pref_raise_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    RETURN NEW;
END
$$;

CREATE TRIGGER channel_pref_version
    BEFORE UPDATE ON channel_pref
    FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)
    EXECUTE FUNCTION channel_pref_raise_version();

-- UNIQUE (user_id, event_key) is the only ground of logical deduplication. ttl_millis and
-- max_attempts are kept to tell a repeated Create from one that asks for something else.
CREATE TABLE notification (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id      text        NOT NULL,
    event_key    text        NOT NULL,
    body         text        NOT NULL,
    ttl_millis   bigint      NOT NULL CHECK (ttl_millis > 0),
    max_attempts integer     NOT NULL CHECK (max_attempts >= 1),
    expires_at   timestamptz NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (user_id, event_key)
);

CREATE TABLE delivery_task (
    id                bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    notification_id   bigint      NOT NULL REFERENCES notification (id),
    channel           text        NOT NULL,
    state             text        NOT NULL DEFAULT 'PENDING'
        CHECK (state IN ('PENDING', 'SENDING', 'UNKNOWN', 'SENT', 'FAILED', 'SUPPRESSED')),
    attempt_count     integer     NOT NULL DEFAULT 0 CHECK (attempt_count >= 0),
    max_attempts      integer     NOT NULL CHECK (max_attempts >= 1),
    attempt_token     uuid, -- of the last call; valid while SENDING
    lease_owner       text,
    lease_until       timestamptz,
    next_attempt_at   timestamptz DEFAULT now(),
    outcome_uncertain boolean     NOT NULL DEFAULT false,
    needs_review      boolean     NOT NULL DEFAULT false,
    provider_msg_id   text,
    last_error        text,
    address           text, -- pinned at the first call: one key must not mean two recipients
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    -- When the task is next to be looked at: NULL for settled and parked ones. The claim's index
    -- is built on it alone, so that neither history nor the future costs the claim anything.
    due_at            timestamptz GENERATED ALWAYS AS (
        CASE WHEN state = 'SENDING' THEN lease_until
             WHEN state IN ('PENDING', 'UNKNOWN') THEN next_attempt_at END) STORED,
    UNIQUE (notification_id, channel),
    CHECK (state <> 'SENDING' OR (lease_until IS NOT NULL AND attempt_token IS NOT NULL))
);

CREATE INDEX delivery_task_due ON delivery_task (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX delivery_task_review ON delivery_task (updated_at) WHERE needs_review;

-- A queue's index collects dead entries at the end where claims begin: vacuum by rows changed,
-- not by a share of all history.
ALTER TABLE delivery_task
    SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- One row for each attempt. outcome is what this attempt observed and is never overwritten;
-- late_outcome is an observation that came after the attempt had been superseded and so did not
-- count. Rows without a call (action NONE) have a token of their own.
CREATE TABLE delivery_attempt (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task_id         bigint      NOT NULL REFERENCES delivery_task (id),
    attempt_token   uuid        NOT NULL UNIQUE,
    worker          text        NOT NULL,
    action          text        NOT NULL CHECK (action IN ('SEND', 'QUERY', 'NONE')),
    outcome         text,
    provider_msg_id text,
    found_count     integer, -- how many acceptances a query found
    detail          text,
    note            text,    -- a person's words on a MANUAL_* row
    late_outcome    text,
    late_msg_id     text,
    late_found_count integer,
    late_at         timestamptz,
    started_at      timestamptz NOT NULL DEFAULT now(),
    finished_at     timestamptz
);

CREATE INDEX delivery_attempt_task ON delivery_attempt (task_id, id);
CREATE INDEX delivery_attempt_late ON delivery_attempt (task_id) WHERE late_outcome IS NOT NULL;

-- For review: tasks that say "not sent" although a channel's acceptance was heard of afterwards.
CREATE VIEW late_acceptance_review AS
SELECT t.id AS task_id, t.notification_id, t.channel, t.state, a.id AS attempt_id,
       a.outcome, a.late_outcome, a.late_msg_id, a.late_at
  FROM delivery_task t
  JOIN delivery_attempt a ON a.task_id = t.id
 WHERE t.state IN ('FAILED', 'SUPPRESSED')
   AND a.late_outcome IN ('ACCEPTED', 'ACCEPTED_REPLAY', 'QUERY_FOUND');

-- For review: tasks of which a channel is known to have accepted more than one request.
CREATE VIEW external_duplicate AS
SELECT known.task_id, t.notification_id, t.channel, t.state,
       greatest(count(DISTINCT known.msg_id), max(known.found_count)) AS acceptances
  FROM (SELECT task_id, provider_msg_id AS msg_id, coalesce(found_count, 0) AS found_count
          FROM delivery_attempt
        UNION ALL
        SELECT task_id, late_msg_id, coalesce(late_found_count, 0) FROM delivery_attempt) AS known
  JOIN delivery_task t ON t.id = known.task_id
 GROUP BY known.task_id, t.notification_id, t.channel, t.state
HAVING greatest(count(DISTINCT known.msg_id), max(known.found_count)) > 1;
