-- What a broker said of itself, written down by `outbox status --record`: one row for each time it was
-- asked.

CREATE TABLE broker_status (
    observation bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    messages    bigint      NOT NULL, -- kept in the stream
    pending     bigint      NOT NULL, -- never delivered
    ack_pending bigint      NOT NULL, -- delivered, and not acknowledged
    dead        bigint      NOT NULL, -- dead letters
    -- The nodes of a cluster that answer for the stream and for the consumer.
    stream_leader   text,
    consumer_leader text,
    observed_at timestamptz NOT NULL DEFAULT now()
);
