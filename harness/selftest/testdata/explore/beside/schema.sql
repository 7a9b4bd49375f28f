create table note (id int generated always as identity, text text not null);
