create table letter (id int primary key, state text not null default 'new', until timestamptz);
