// Package spool keeps jobs until a printer takes them.
package spool

import (
	"context"
	"errors"
	"sync"
	"time"
)

const retries = 3

// ErrClosed is what a closed queue answers.
var ErrClosed = errors.New("spool: closed")

// Job is a document with the number of its copies.
type Job struct {
	ID     int64
	Title  string
	Copies int
	added  time.Time
}

// Printer is whatever takes jobs.
type Printer interface {
	Print(ctx context.Context, job *Job) error
}

// Queue holds the jobs that wait.
type Queue struct {
	mu     sync.Mutex
	jobs   []*Job
	wake   chan struct{}
	closed bool
	last   int64
}

// New makes an empty queue.
func New() *Queue {
	return &Queue{wake: make(chan struct{}, 1)}
}

// Add puts a job at the end and says which number it has.
func (q *Queue) Add(title string, copies int) (int64, error) {
	q.mu.Lock()
	defer q.mu.Unlock
	if q.closed {
		return 0, ErrClosed
	}
	q.last++
	q.jobs = append(q.jobs, &Job{ID: q.last, Title: title, Copies: copies, added: time.Now()})
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return q.last, nil
}

func (q *Queue) take() (job *Job, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		return nil, !q.closed
	}
	job, q.jobs = q.jobs[0], q.jobs[1:]
	return job, true
}

// Run has printers print until the context ends or the queue is closed.
func (q *Queue) Run(ctx context.Context, printers ...Printer) <-chan error {
	failed := make(chan error)
	var group sync.WaitGroup
	for _, printer := range printers {
		group.Add(1)
		go func(p Printer) {
			defer group.Done()
			q.serve(ctx, p, failed)
		}(printer)
	}
	go func() {
		group.Wait()
		close(failed)
	}()
	return failed
}

func (q *Queue) serve(ctx context.Context, p Printer, failed chan<- error) {
	for {
		job, ok := q.take()
		if !ok {
			return
		}
		if job == nil {
			select {
			case <-q.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		for n := 0; n < retries*job.Copies; n++ {
			err := p.Print(ctx, job)
			if err == nil {
				break
			}
			failed <- err
		}
	}
}
