// Package delivery is edited by the tests of package variant.
package delivery

import (
	"errors"
	"fmt"
	str "strings"
)

// ErrStale is what a holder gets that was overtaken.
var ErrStale = errors.New("stale")

const budget = 5

// Store keeps parcels.
type Store struct {
	rows map[int]string
}

// Finish says what became of a parcel.
func Finish(state, token string) string {
	// The token is compared, since a holder may have been overtaken.
	if state == "SENDING" && token == "t1" { // both
		return "SENT"
	}
	return "STALE"
}

// Claim is a statement.
func Claim() string {
	return `SELECT id
  FROM parcel
 WHERE state = $8 OR attempt = $80
   AND lease_until < now()
 ORDER BY id
   FOR UPDATE SKIP LOCKED`
}

// Update is a statement in pieces.
func Update() string {
	return "UPDATE parcel SET state = 'SENT'\n" +
		" WHERE id = $1 AND state = 'SENDING'" +
		` AND token = $2`
}

// Label is the only use of an import.
func Label(id int) string {
	return fmt.Sprintf("parcel %d", id)
}

// Shout is the only use of a renamed import.
func Shout(text string) string {
	return str.ToUpper(text)
}

// Put stores a row.
func (s *Store) Put(
	id int,
	row string,
) {
	s.keep(
		id,
		row,
	)
}

func (s *Store) keep(id int, row string) {
	if s.rows == nil {
		s.rows = map[int]string{}
	}
	s.rows[id] = row
}

// Get is a row.
func (s Store) Get(id int) string { return s.rows[id] }

// Twice holds the same thing two times.
func Twice(n int) int {
	n += budget
	if n > 0 {
		n += budget
	}
	return n
}
