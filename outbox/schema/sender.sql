-- The sender's tables. A contract and its message are written in one transaction.

CREATE TABLE contract (
    id          text        PRIMARY KEY,
    amount      numeric     NOT NULL CHECK (amount > 0),
    accepted_at timestamptz NOT NULL DEFAULT now()
);

-- What is to be sent: the durable ground for sending at all. sent_at is written after the transport
-- has committed the message, never before.
CREATE TABLE outbox (
    position        bigint      GENERATED ALWAYS AS IDENTITY UNIQUE,
    msg_id          text        PRIMARY KEY,
    contract_id     text        NOT NULL UNIQUE REFERENCES contract (id),
    amount          numeric     NOT NULL CHECK (amount > 0),
    sent_at         timestamptz,
    failures        integer     NOT NULL DEFAULT 0 CHECK (failures >= 0),
    last_error      text,
    next_attempt_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX outbox_unsent ON outbox (next_attempt_at, position) WHERE sent_at IS NULL;
