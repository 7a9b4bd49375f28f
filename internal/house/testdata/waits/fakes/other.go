package fakes

import "lostreply/harness/time"

var sleeping = time.Sleep
