package fakes

import "time"

func wait() {
	time.Sleep(time.Second)
	<-time.After(time.Second)
	_ = time.Now()
}
