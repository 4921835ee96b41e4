// Goroutines with small stacks of their own in a program that is linked with the C library: a tick whose handler does
// not ask for the alternate stack corrupts them, and the Go runtime takes SIGURG for itself.
// needs: command -v go
package main

import "C"

import "fmt"

func work(n int) int {
	s := 0
	for i := 0; i < n; i++ {
		s = s*31 + i
	}
	return s
}

func main() {
	results := make(chan int)
	for k := 0; k < 4; k++ {
		go func() { results <- work(100000000) }()
	}
	s := 0
	for k := 0; k < 4; k++ {
		s += <-results
	}
	fmt.Println(s)
}
