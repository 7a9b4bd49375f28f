package main

import (
	"context"
	"fmt"

	"lostreply/outbox"
)

func (p program) accept(ctx context.Context, arguments []string) error {
	set := p.flags("accept")
	var contract outbox.Contract
	set.StringVar(&contract.ID, "contract", "", "the contract's id")
	set.StringVar(&contract.Amount, "amount", "", "its amount, a decimal number above 0")
	set.StringVar(&contract.MessageID, "msg", "",
		"id of the message that tells of it; by default made from the contract's")
	if err := p.parse(set, arguments); err != nil {
		return err
	}
	if contract.MessageID == "" && contract.ID != "" {
		contract.MessageID = "contract-" + contract.ID
	}
	session, err := p.session("SENDER_URL")
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	created, err := outbox.NewSender(session).Accept(ctx, contract)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.output, "ACCEPTED contract=%s amount=%s msg=%s created=%t\n",
		contract.ID, contract.Amount, contract.MessageID, created)
	return err
}
