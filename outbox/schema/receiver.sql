-- The receiver's tables. An inbox row and its booking are written in one transaction.

-- The messages that were processed, and with which payload, in canonical form. The primary key
-- decides between consumers that process one message at the same time.
CREATE TABLE inbox (
    msg_id       text        PRIMARY KEY,
    payload      text        NOT NULL,
    processed_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX inbox_processed ON inbox (processed_at); -- for the purge

CREATE TABLE ledger (
    account text    PRIMARY KEY,
    amount  numeric NOT NULL
);
