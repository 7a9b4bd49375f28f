package outbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Message is what travels: an id that is the same however often it is sent, and a payload, a JSON
// object that has a text "contract" and a number "amount".
type Message struct {
	ID      string
	Payload string
}

// NewMessage makes the message that tells of a contract. The amount is a decimal number.
func NewMessage(id, contract, amount string) (Message, error) {
	payload, err := json.Marshal(struct {
		Contract string      `json:"contract"`
		Amount   json.Number `json:"amount"`
	}{contract, json.Number(amount)})
	if err != nil {
		return Message{}, fmt.Errorf("payload of message %s: %w", id, err)
	}
	return Message{ID: id, Payload: string(payload)}, nil
}

// content is a message as the receiver understands it.
type content struct {
	id        string
	canonical string // payload in its canonical form
	amount    string // a decimal number
}

// read understands a message; the error is ErrUnreadable.
func (m Message) read() (content, error) {
	canonical, err := Canonical(m.Payload)
	if err != nil {
		return content{}, err
	}
	// Not into a struct: that would take a number in quotes, and keys in other letters.
	decoder := json.NewDecoder(strings.NewReader(canonical))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return content{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	_, hasContract := fields["contract"].(string)
	amount, hasAmount := fields["amount"].(json.Number)
	switch {
	case m.ID == "":
		return content{}, fmt.Errorf("%w: no message id", ErrUnreadable)
	case !hasContract || !hasAmount:
		return content{}, fmt.Errorf("%w: a text contract and a number amount are needed",
			ErrUnreadable)
	}
	return content{id: m.ID, canonical: canonical, amount: amount.String()}, nil
}

// ErrConflict is a message id that came with another payload than the one it was processed with: no
// repetition but a mistake, which is never booked and never acknowledged.
var ErrConflict = errors.New("payload conflict")

// compare tells a repetition from a conflict.
func (c content) compare(processed string) error {
	if c.canonical == processed {
		return nil
	}
	return fmt.Errorf("%w: message %s was processed as %s and came again as %s",
		ErrConflict, c.id, processed, c.canonical)
}
