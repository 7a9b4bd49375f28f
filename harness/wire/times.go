package wire

import (
	"encoding/binary"
	"time"
)

// The types of points in time, by their object ids (pg_type.dat).
const (
	oidTimestamp   = 1114
	oidTimestampTZ = 1184
)

// BoundTime is a point in time that a worker bound as a parameter.
type BoundTime struct {
	// Label is that of the statement; Param its number, from 1.
	Label string
	Param int
	Time  time.Time
}

// timesKept bounds how many points in time are kept of one turn.
const timesKept = 100

// WatchTimes makes the listener look for points in time among bound parameters, from now on; it
// does not by itself, because reading parameters costs. They go to Config.Times.
func (l *Listener) WatchTimes() { l.reader.times.Store(true) }

// noteTimes keeps the points in time among the parameters of a statement.
func (t *turns) noteTimes(s *script, params []param) {
	for i, p := range params {
		if at, is := p.time(); is && len(t.times) < timesKept {
			t.times = append(t.times, BoundTime{Label: s.label, Param: i + 1, Time: at})
		}
	}
}

// postgresEpoch is where PostgreSQL begins to count the microseconds of a binary timestamp.
var postgresEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// timeForms are how drivers write points in time as text. A text of another type can look so too.
var timeForms = []string{
	time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999-07",
	"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
}

// time is the point in time that a parameter is; one without a zone is taken for UTC.
func (p param) time() (time.Time, bool) {
	isTime := p.oid == oidTimestamp || p.oid == oidTimestampTZ
	switch {
	case p.null || p.cutOff:
		return time.Time{}, false
	case p.binary:
		if !isTime || len(p.value) != 8 {
			return time.Time{}, false
		}
		microseconds := int64(binary.BigEndian.Uint64(p.value))
		return postgresEpoch.Add(time.Duration(microseconds) * time.Microsecond), true
	case !isTime && p.oid != 0, len(p.value) > len(time.RFC3339Nano)+8:
		return time.Time{}, false
	}
	for _, form := range timeForms {
		if at, err := time.Parse(form, string(p.value)); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
