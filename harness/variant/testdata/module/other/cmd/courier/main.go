// Command courier has the name of another program of this module.
package main

import "fmt"

func main() { fmt.Println("the other courier") }
