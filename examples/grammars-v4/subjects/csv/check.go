// Has encoding/csv of Go's library read a table, whose rows must have as many fields as the first has. It passes over empty lines.
//
// 0: it is read, 1: it is not, and what the library says is told.
package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"runtime"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println(runtime.Version())
		return
	}
	if len(os.Args) != 2 {
		os.Exit(3)
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		os.Exit(3)
	}
	if _, err := csv.NewReader(file).ReadAll(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
