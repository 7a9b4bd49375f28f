package fakes

import . "time"

var sleep = Sleep
