package outbox

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Settings are a publisher's or consumer's own choices.
type Settings struct {
	// Timeout bounds the work on one message at each database.
	Timeout time.Duration
	// RetryDelay is waited after the first failure of a message; each further one doubles it, up to
	// MaxDelay.
	RetryDelay, MaxDelay time.Duration
	// MaxFailures is with how many failures a consumer gives up and buries a delivery. A publisher
	// never gives up: what fails there is the transport, not the message.
	MaxFailures int
	// Output gets one line for each step; nil for none.
	Output io.Writer
}

// ErrSettings is what is wrong with settings.
var ErrSettings = errors.New("unusable settings")

func (s Settings) validate() error {
	switch {
	case s.Timeout <= 0:
		return fmt.Errorf("%w: timeout %s must be above 0", ErrSettings, s.Timeout)
	case s.RetryDelay <= 0 || s.MaxDelay < s.RetryDelay:
		return fmt.Errorf("%w: retry delay %s must be above 0 and at most the longest delay, %s",
			ErrSettings, s.RetryDelay, s.MaxDelay)
	case s.MaxFailures < 1:
		return fmt.Errorf("%w: %d failures, at least 1 is needed", ErrSettings, s.MaxFailures)
	}
	return nil
}

// delay is how long a message rests after so many failures, the latest included.
func (s Settings) delay(failures int) time.Duration {
	delay := s.RetryDelay
	for range failures - 1 {
		if delay >= s.MaxDelay/2 {
			return s.MaxDelay
		}
		delay *= 2
	}
	return delay
}

// say writes one whole line at once, so that a reader never sees half of one, and sees it before
// the next step begins.
func (s Settings) say(format string, arguments ...any) {
	if s.Output != nil {
		fmt.Fprintf(s.Output, format+"\n", arguments...)
	}
}
