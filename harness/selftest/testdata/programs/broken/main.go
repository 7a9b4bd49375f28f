// Command broken does not build.
package main

func main() {
	var count int = "not a number"
	_ = count
}
