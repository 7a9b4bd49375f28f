// Command parcel weighs one parcel and ends with what comes of it: 0 taken, 4 too heavy, 5 no weight.
package main

import (
	"os"
	"strconv"
)

// limit is the most that a parcel may weigh.
const limit = 30

func main() {
	if len(os.Args) != 2 {
		os.Exit(2)
	}
	weight, err := strconv.Atoi(os.Args[1])
	if err != nil {
		os.Exit(2)
	}
	os.Exit(judge(weight))
}

func judge(weight int) int {
	if weight < 1 {
		return 5
	}
	if weight > limit {
		return 4
	}
	return 0
}
