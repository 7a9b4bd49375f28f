// Command courier prints what package delivery says.
package main

import (
	"fmt"

	"example.com/post/delivery"
)

func main() {
	store := &delivery.Store{}
	store.Put(1, "row")
	fmt.Println(delivery.Finish("SENDING", "t0"), delivery.Label(1), delivery.Shout("x"),
		store.Get(1), delivery.Sticker)
}
