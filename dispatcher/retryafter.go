package dispatcher

import (
	"net/http"
	"strconv"
	"time"
)

// maxRetryAfter bounds a channel's wish, so that a slip of its pen does not shelve a task for
// ever.
const maxRetryAfter = 24 * time.Hour

// retryAfter reads Retry-After (RFC 9110 section 10.2.3): seconds, or a date, which is measured
// from the answer's own Date so that no clock of ours has a part in it. What can't be read is 0.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	answered, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return min(max(until.Sub(answered), 0), maxRetryAfter)
}
