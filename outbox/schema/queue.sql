-- A durable transport. Each row is one physical delivery: a message that was sent twice is here
-- twice, under two delivery ids and one message id.

-- The amount of a payload; null where there is none to be read. (IS JSON would do without the
-- exception, but is of PostgreSQL 16.)
CREATE FUNCTION amount_of(payload text) RETURNS numeric LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    RETURN CASE jsonb_typeof(payload::jsonb -> 'amount')
           WHEN 'number' THEN (payload::jsonb ->> 'amount')::numeric END;
EXCEPTION WHEN invalid_text_representation OR untranslatable_character
          OR numeric_value_out_of_range THEN
    RETURN NULL;
END $$;

CREATE TABLE delivery (
    delivery_id     bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    msg_id          text        NOT NULL,
    payload         text        NOT NULL, -- JSON as its sender wrote it, or what was meant to be
    amount          numeric     GENERATED ALWAYS AS (amount_of(payload)) STORED,
    acked_at        timestamptz,
    buried_at       timestamptz, -- it is a dead letter now
    failures        integer     NOT NULL DEFAULT 0 CHECK (failures >= 0),
    last_error      text,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    created_at      timestamptz NOT NULL DEFAULT now(),
    CHECK (acked_at IS NULL OR buried_at IS NULL)
);

CREATE INDEX delivery_due ON delivery (next_attempt_at, delivery_id)
    WHERE acked_at IS NULL AND buried_at IS NULL;
CREATE INDEX delivery_message ON delivery (msg_id);

-- Deliveries that were given up. A letter stays on record when it is sent again, with the delivery
-- that it became.
CREATE TABLE dead_letter (
    letter_id   bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    delivery_id bigint      NOT NULL UNIQUE REFERENCES delivery (delivery_id),
    msg_id      text        NOT NULL,
    payload     text        NOT NULL,
    failures    integer     NOT NULL,
    reason      text        NOT NULL CHECK (reason IN ('CONFLICT', 'UNREADABLE', 'FAILURES')),
    error       text        NOT NULL,
    buried_at   timestamptz NOT NULL DEFAULT now(),
    redriven_at timestamptz,
    redriven_as bigint      UNIQUE REFERENCES delivery (delivery_id),
    CHECK ((redriven_at IS NULL) = (redriven_as IS NULL))
);

CREATE INDEX dead_letter_waiting ON dead_letter (letter_id) WHERE redriven_at IS NULL;

-- A queue's index collects dead entries where taking begins: vacuum by rows changed, not by a share
-- of all history.
ALTER TABLE delivery SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
