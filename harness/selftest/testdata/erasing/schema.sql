create table task (id int primary key);
create table attempt (id int, task int references task on delete cascade);
create table kept (id int, task int references task);
create table note (id int, task int references task on delete set null);
create function forget() returns trigger language plpgsql as $$
begin delete from kept where task = old.id; return old; end $$;
create trigger forget before delete on task for each row execute function forget();
create table log (id int);
create rule no_log as on update to log do instead delete from log where id = old.id;
