package clock

import "time"

var sleep = time.Sleep
