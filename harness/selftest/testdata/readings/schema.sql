create table counter (n int not null);
