create sequence ticket start 7;
create table letter (
  id      int generated always as identity primary key,
  state   text not null,
  ticket  int not null default nextval('ticket'),
  written timestamptz not null default now()
);
