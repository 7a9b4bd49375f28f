package fakes

import wall "time"

var tick = wall.Tick
