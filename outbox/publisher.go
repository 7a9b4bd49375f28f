package outbox

import (
	"context"
	"fmt"
)

// Transport takes messages durably.
type Transport interface {
	// Send returns once the message is kept, with the id of this physical delivery. After an error
	// it may be kept or not.
	Send(ctx context.Context, message Message) (deliveryID string, err error)
}

// Publisher moves messages from the outbox to the transport. It is for one user at a time; any
// number of publishers can work side by side.
type Publisher struct {
	sender    *Sender
	transport Transport
	settings  Settings
}

// NewPublisher makes a publisher; the error is ErrSettings.
func NewPublisher(sender *Sender, transport Transport, settings Settings) (*Publisher, error) {
	if err := settings.validate(); err != nil {
		return nil, err
	}
	return &Publisher{sender: sender, transport: transport, settings: settings}, nil
}

// PublishOnce sends one unsent message: it is locked, sent, and only then marked sent. The result
// is NOTHING when none is due, SENT, or PUT_OFF with the transport's error when it could not be
// sent, or may have been. After an error without a result the message may be sent, and is sent
// again if it is not marked.
func (p *Publisher) PublishOnce(ctx context.Context) (Result, error) {
	held, err := p.lock(ctx)
	if err != nil {
		return "", err
	}
	if held == nil {
		p.settings.say("RESULT %s", Nothing)
		return Nothing, nil
	}
	defer held.release(ctx)
	p.settings.say("LOCKED msg=%s", held.ID)
	deliveryID, err := p.send(ctx, held.Message)
	if err != nil {
		return p.putOff(ctx, held, err)
	}
	p.settings.say("QUEUED msg=%s delivery=%s", held.ID, deliveryID)
	if err := p.mark(ctx, held); err != nil {
		return "", err
	}
	p.settings.say("RESULT %s", Sent)
	return Sent, nil
}

func (p *Publisher) lock(ctx context.Context) (*unsent, error) {
	ctx, cancel := context.WithTimeout(ctx, p.settings.Timeout)
	defer cancel()
	return p.sender.lockUnsent(ctx)
}

func (p *Publisher) send(ctx context.Context, message Message) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, p.settings.Timeout)
	defer cancel()
	deliveryID, err := p.transport.Send(ctx, message)
	if err != nil {
		return "", fmt.Errorf("send message %s: %w", message.ID, err)
	}
	return deliveryID, nil
}

func (p *Publisher) mark(ctx context.Context, held *unsent) error {
	ctx, cancel := context.WithTimeout(ctx, p.settings.Timeout)
	defer cancel()
	return held.markSent(ctx)
}

func (p *Publisher) putOff(ctx context.Context, held *unsent, reason error) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, p.settings.Timeout)
	defer cancel()
	delay := p.settings.delay(held.Failures + 1)
	if err := held.putOff(ctx, delay, reason); err != nil {
		return "", fmt.Errorf("%w; after: %w", err, reason)
	}
	p.settings.say("RESULT %s failures=%d delay=%s", PutOff, held.Failures+1, delay)
	return PutOff, reason
}
