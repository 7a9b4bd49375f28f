module example.com/post

go 1.26
