CREATE TABLE counter (id integer PRIMARY KEY, n integer NOT NULL);
INSERT INTO counter VALUES (1, 1);
