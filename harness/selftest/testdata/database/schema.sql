create table letter (
  id      int primary key,
  state   text not null,
  weight  numeric,
  written timestamptz not null default now()
);
