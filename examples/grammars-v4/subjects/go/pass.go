// Package tokens splits arithmetic expressions into tokens.
package tokens

import (
	"errors"
	"fmt"
	str "strings"
)

// Kind says what a token is.
type Kind int

const (
	Number Kind = iota
	Name
	Operator
	Open
	Close
)

var errEnd = errors.New("unexpected end")

// Token is a piece of the input, with the place where it begins.
type Token struct {
	Kind Kind
	Text string
	At   int
}

type source interface {
	Next() (rune, bool)
	Back()
}

// Scanner reads tokens from a text.
type Scanner struct {
	text   []rune
	at     int
	tokens chan *Token
	names  map[string]int
}

// New makes a scanner.
func New(text string) *Scanner {
	return &Scanner{text: []rune(text), names: make(map[string]int)}
}

func (s *Scanner) peek() (rune, error) {
	if s.at >= len(s.text) {
		return 0, errEnd
	}
	return s.text[s.at], nil
}

func (k Kind) String() string {
	switch k {
	case Number:
		return "number"
	case Name:
		return "name"
	case Open, Close:
		return "bracket"
	}
	return fmt.Sprintf("operator %d", int(k))
}

// Next is the next token; at the end of the text it is an error.
func (s *Scanner) Next() (*Token, error) {
	for s.at < len(s.text) && str.ContainsRune(" \t\n", s.text[s.at]) {
		s.at++
	}
	begin := s.at
	first, err := s.peek()
	if err != nil {
		return nil, err
	}
	kind := Operator
	s.at++
	switch first {
	case '(', '[':
		kind = Open
	case ')', ']':
		kind = Close
	case '*':
		if next, _ := s.peek(); next == '*' {
			s.at++
		}
		fallthrough
	case '+', '-', '/':
		kind = Operator
	default:
		for ; s.at < len(s.text); s.at++ {
			if c := s.text[s.at]; c < '0' || c > '9' {
				break
			}
			kind = Number
		}
		if kind == Number {
			break
		}
		kind = Name
		s.names[string(first)] += 1
	}
	return &Token{kind, string(s.text[begin:s.at]), begin}, nil
}

// All is all tokens of a text.
func All(text string) (all []*Token) {
	s := New(text)
	defer func() { s.tokens = nil }()
	for {
		token, err := s.Next()
		if err != nil {
			return all
		}
		all = append(all, token)
	}
}
