package main

import "lostreply/dispatcher"
