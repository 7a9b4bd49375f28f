package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"lostreply/dispatcher"
)

// knownChannels is what CHANNELS would say about the channels that need no saying.
const knownChannels = `[{"channel": "push", "mode": "IDEMPOTENT", "before_acceptance": [
                     {"status": 503, "outcome": "HTTP_5XX"},
                     {"status": 400, "outcome": "REJECTED"}]},
                   {"channel": "sms", "mode": "QUERYABLE", "query": {"sees_at_once": true},
                    "before_acceptance": [
                     {"status": 503, "outcome": "HTTP_5XX"},
                     {"status": 400, "outcome": "REJECTED"}]}]`

// channelEntry is one contract in CHANNELS.
type channelEntry struct {
	Channel          string             `json:"channel"`
	Mode             dispatcher.Mode    `json:"mode"`
	URL              string             `json:"url"`
	BeforeAcceptance []promiseEntry     `json:"before_acceptance"`
	Query            channelQueryAnswer `json:"query"`
}

type promiseEntry struct {
	Status     int                `json:"status"`
	Outcome    dispatcher.Outcome `json:"outcome"`
	RetryAfter bool               `json:"retry_after"`
}

type channelQueryAnswer struct {
	SeesAtOnce bool   `json:"sees_at_once"`
	Settle     string `json:"settle"`
}

// contracts are those of all channels that have a URL. One that is named in CHANNELS must have
// one.
func (p program) contracts() ([]dispatcher.Contract, error) {
	named, err := parseChannels(p.environment("CHANNELS"))
	if err != nil {
		return nil, err
	}
	for i, contract := range named {
		if contract.URL == "" {
			named[i].URL = p.environment(urlVariable(contract.Channel))
		}
		if err := named[i].Validate(); err != nil {
			return nil, fmt.Errorf("CHANNELS (or %s): %w", urlVariable(contract.Channel), err)
		}
	}
	contracts := named
	known := []dispatcher.Contract{
		dispatcher.Push(p.environment("PUSH_URL")), dispatcher.SMS(p.environment("SMS_URL")),
	}
	for _, contract := range known {
		if contract.URL != "" && !hasChannel(named, contract.Channel) {
			contracts = append(contracts, contract)
		}
	}
	if len(contracts) == 0 {
		return nil, fmt.Errorf("%w: work: no channel has a URL; set PUSH_URL, SMS_URL or CHANNELS",
			errUsage)
	}
	return contracts, nil
}

func hasChannel(contracts []dispatcher.Contract, channel string) bool {
	return slices.ContainsFunc(contracts, func(contract dispatcher.Contract) bool {
		return contract.Channel == channel
	})
}

// urlVariable is the environment variable that holds a channel's URL.
func urlVariable(channel string) string {
	return strings.ToUpper(strings.ReplaceAll(channel, "-", "_")) + "_URL"
}

func parseChannels(text string) ([]dispatcher.Contract, error) {
	if text == "" {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	var entries []channelEntry
	if err := decoder.Decode(&entries); err != nil {
		return nil, fmt.Errorf("%w: CHANNELS: %w", errUsage, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: CHANNELS: more than one JSON value", errUsage)
	}
	contracts := make([]dispatcher.Contract, 0, len(entries))
	for _, entry := range entries {
		contract, err := entry.contract()
		if err != nil {
			return nil, err
		}
		contracts = append(contracts, contract)
	}
	return contracts, nil
}

func (e channelEntry) contract() (dispatcher.Contract, error) {
	contract := dispatcher.Contract{
		Channel: e.Channel, Mode: e.Mode, URL: e.URL, SeesAtOnce: e.Query.SeesAtOnce,
	}
	for _, promise := range e.BeforeAcceptance {
		contract.BeforeAcceptance = append(contract.BeforeAcceptance, dispatcher.Promise(promise))
	}
	if e.Query.Settle == "" {
		return contract, nil
	}
	settle, err := time.ParseDuration(e.Query.Settle)
	if err != nil {
		return contract, fmt.Errorf("%w: CHANNELS: settle time of channel %q: %w",
			errUsage, e.Channel, err)
	}
	contract.Settle = settle
	return contract, nil
}
