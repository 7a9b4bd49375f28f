-- Jobs that are claimed for a while, called for and finished; and what came of each.
create table job (
  id bigint generated always as identity primary key,
  address text not null,
  state text not null default 'due' check (state in ('due', 'claimed', 'done')),
  attempt integer not null default 0,
  lease_until timestamptz
);
create table delivery (
  job bigint not null references job,
  attempt integer not null,
  receipt text not null
);
