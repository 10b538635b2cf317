// Package ring is a queue that is never longer than it was made.
package ring

// Ring is such a queue of numbers.
type Ring struct {
	values []float64
	first  int
	count  int
}

// New makes one for so many.
func New(size int) *Ring {
	return &Ring{values: make([]float64, size)}
}

// Push adds a number, and drops the first where it is full.
func (r *Ring) Push(value float64) (dropped bool) {
	size := len(r.values)
	if r.count < size {
		r.values[(r.first+r.count)%size] = value
		r.count++
		return
	}
	r.values[r.first] = value
	r.first = (r.first + 1) % size
	return true
}

// Mean is that of all numbers.
func (r *Ring) Mean(unused string) float64 {
	const none = 0.0
	sum, least := 0.0, none
	for i := range r.values {
		if i >= r.count {
			break
		}
		sum += r.values[i]
	}
	var n = float64(r.count)
	if n == least {
		return 0
	}
	steps := 1
	steps++
	return sum / n
}
