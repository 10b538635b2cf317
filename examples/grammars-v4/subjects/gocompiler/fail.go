// Package shelf keeps values by their names, as many as there is room for, and
// forgets first what was not asked for longest.
package shelf

// Size is how much room a value takes.
type Size uint64

// Sized is a value that knows how much room it takes.
type Sized interface {
	Size() Size
}

type failure string

func (f failure) Error() string { return "shelf: " + string(f) }

const (
	errFull   = failure("no room")
	errClosed = failure("closed")
	small     = Size(1) << 6
)

type entry struct {
	name         string
	value        interface{}
	size         Size
	newer, older *entry
}

// Shelf keeps values.
type Shelf struct {
	entries        map[string]*entry
	newest, oldest *entry
	used, room     Size
	closed         bool
	forgotten      func(name string, value interface{})
}

// New makes a shelf with so much room.
func New(room Size) *Shelf {
	return &Shelf{entries: make(map[string]*entry, 16), room: room}
}

func size(value interface{}) Size {
	switch value := value.(type) {
	case nil:
		return 0
	case Sized:
		return value.Size()
	case string:
		return Size(len(value))
	case []byte:
		return Size(cap(value))
	}
	return small
}

func (s *Shelf) unlink(e *entry) {
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		s.newest = e.older
	}
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		s.oldest = e.newer
	}
	e.newer, e.older = nil, nil
	s.used -= e.size
}

func (s *Shelf) link(e *entry) {
	if e.older = s.newest; e.older != nil {
		e.older.newer = e
	}
	if s.newest = e; s.oldest == nil {
		s.oldest = e
	}
	s.used += e.size
}

// Get finds a value by its name, and remembers that it was asked for.
func (s *Shelf) Get(name string) (value interface{}, ok bool) {
	e, ok := s.entries[name]
	if !ok || s.closed {
		return nil, false
	}
	s.unlink(e)
	s.link(e)
	return e.value, true
}

// Put keeps a value, and forgets others where that is necessary.
func (s *Shelf) Put(name string, value interface{}) error {
	need := size(value)
	switch {
	case s.closed:
		return errClosed
	case need > s.room:
		return errFull
	}
	before, found := s.entries[name]
	if found {
		s.unlink(before)
	}
	full := false
	for s.used+need > s.room && s.oldest != nil {
		last := s.oldest
		s.unlink(last)
		delete(s.entries, last.name)
		if s.forgotten != nil {
			s.forgotten(last.name, last.value)
		}
		full = true
	}
	e := &entry{name: name, value: value, size: need}
	s.entries[name] = e
	s.link(e)
	return nil
}

// Each calls a function for each value, the newest first, until that says no.
func (s *Shelf) Each(visit func(name string, value interface{}) bool) (count int) {
	for e := s.newest; e != nil; e = e.older {
		if count++; !visit(e.name, e.value) {
			break
		}
	}
	return
}

// Names are the names of all values that are larger than so much.
func (s *Shelf) Names(least Size) []string {
	names := []string{}
	for name, e := range s.entries {
		if e.size <= least {
			continue
		}
		names = append(names, name)
	}
	return names
}

// Close forgets everything.
func (s *Shelf) Close() {
	defer func() { s.closed = true }()
	var names = s.Names(0)
	for i := range names {
		s.unlink(s.entries[names[i]])
		delete(s.entries, names[i])
	}
}
