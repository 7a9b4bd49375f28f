// Command clerk prints its name.
package main

import "fmt"

func main() { fmt.Println("clerk") }
