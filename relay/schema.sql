-- The relay's tables. An item's row is the record in the queue, and it stays where it was written:
-- its ACK frees its bytes and takes it out of the unacked ones. What is unacked is counted from the
-- rows, never from a difference.

-- One order for admissions and ACKs: frozen or equal clocks can't blur it.
CREATE SEQUENCE ledger AS bigint;

-- A tenant's row is locked while its unacked items are counted and changed.
CREATE TABLE tenant (
    name           text PRIMARY KEY,
    last_acked_seq bigint -- shown, never used to compute
);

-- The queue's own capacity, of bytes not yet acked: set when it is made, whatever a contract says
-- later.
CREATE TABLE queue (
    single         boolean PRIMARY KEY DEFAULT true CHECK (single),
    capacity_bytes bigint  NOT NULL CHECK (capacity_bytes > 0)
);

CREATE TABLE item (
    id            text        PRIMARY KEY, -- TENANT-SEQUENCE: the same at each delivery
    tenant        text        NOT NULL REFERENCES tenant (name),
    seq_no        bigint      NOT NULL,
    body          bytea       NOT NULL,
    bytes         bigint      NOT NULL CHECK (bytes = octet_length(body)),
    unacked_limit bigint      NOT NULL, -- in force when it was admitted
    admitted_as   bigint      NOT NULL DEFAULT nextval('ledger'),
    acked_as      bigint, -- NULL: unacked
    deliveries    integer     NOT NULL DEFAULT 0 CHECK (deliveries >= 0),
    refusals      integer     NOT NULL DEFAULT 0 CHECK (refusals >= 0),
    due_at        timestamptz DEFAULT now(), -- NULL: acked or parked
    parked        boolean     NOT NULL DEFAULT false,
    last_error    text,
    note          text, -- a person's words, of the latest resolve
    UNIQUE (tenant, seq_no),
    CHECK (acked_as IS NULL OR (due_at IS NULL AND NOT parked)),
    CHECK (NOT parked OR due_at IS NULL)
);

-- All that is ever counted or claimed is in these three, so acked history costs nothing.
CREATE INDEX item_unacked ON item (tenant) INCLUDE (bytes) WHERE acked_as IS NULL;
CREATE INDEX item_due ON item (due_at, admitted_as) WHERE due_at IS NOT NULL;
CREATE INDEX item_parked ON item (id) WHERE parked;

-- A queue's index collects dead entries at the end where claims begin: vacuum by rows changed,
-- not by a share of all history.
ALTER TABLE item SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- What only grows, by tenant; the empty tenant stands for events of no known one.
CREATE TABLE tally (
    tenant text   NOT NULL,
    name   text   NOT NULL,
    amount bigint NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (tenant, name)
);

-- ACKs of items that the queue never had.
CREATE TABLE stray_ack (item text PRIMARY KEY);
