create table letter (id text primary key, state text not null default 'new');
