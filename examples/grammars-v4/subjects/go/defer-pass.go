// Package trail follows log files and hands their lines to whoever listens.
package trail

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Line is one line of a file.
type Line struct {
	File string
	Text string
	Seen time.Time
}

type listener func(Line) bool

// Follower reads files as they grow.
type Follower struct {
	mu        sync.RWMutex
	listeners map[string][]listener
	stop      chan bool
	cleanup   []func() error
}

// Listen adds a listener for a file; the result takes it away again.
func (f *Follower) Listen(file string, l listener) func() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listeners == nil {
		f.listeners = map[string][]listener{}
	}
	f.listeners[file] = append(f.listeners[file], l)
	at := len(f.listeners[file]) - 1
	return func() {
		f.mu.Lock()
		f.listeners[file][at] = nil
		f.mu.Unlock()
	}
}

func (f *Follower) tell(line Line) (told int) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, l := range f.listeners[line.File] {
		if l != nil && l(line) {
			told++
		}
	}
	return
}

// Follow starts to read a file from its end.
func (f *Follower) Follow(name string) (err error) {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("trail: %w", err)
	}
	if _, err = file.Seek(0, io.SeekEnd); err != nil {
		defer file.Close()
		return err
	}
	f.cleanup = append(f.cleanup, file.Close)
	ticks := time.NewTicker(250 * time.Millisecond)
	go f.read(name, bufio.NewReader(file), ticks.C)
	go func() {
		<-f.stop
		ticks.Stop()
	}()
	return nil
}

func (f *Follower) read(name string, from *bufio.Reader, ticks <-chan time.Time) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintln(os.Stderr, "trail:", name, r)
		}
	}()
	rest := ""
	for now := range ticks {
		for {
			text, err := from.ReadString('\n')
			rest += text
			if err != nil {
				break
			}
			f.tell(Line{name, rest[:len(rest)-1], now})
			rest = ""
		}
	}
}

// Close ends it all; the first error counts.
func (f *Follower) Close() (err error) {
	close(f.stop)
	for _, clean := range f.cleanup {
		defer func(c func() error) {
			if e := c(); err == nil {
				err = e
			}
		}(clean)
	}
	return nil
}
