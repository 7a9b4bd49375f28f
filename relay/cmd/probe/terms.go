package main

import (
	"bufio"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
)

// terms are the contract, as the probe reads it.
type terms struct {
	unackedLimit int64
	asked        int64
	effective    int64
	prefixes     []string
	version      string
	queueURLIn   string
	sinkURLIn    string
	tenants      map[string]bool
}

// readTerms reads the three files. What is missing or contradicts itself is an error.
func readTerms(folder string) (*terms, error) {
	all := map[string]string{}
	for _, name := range []string{"notifyd.env", "topology.env", "tenants.env"} {
		if err := readPairs(filepath.Join(folder, name), all); err != nil {
			return nil, err
		}
	}
	read := &terms{tenants: map[string]bool{}}
	var err error
	for key, place := range map[string]*int64{
		"NOTIFYD_TENANT_UNACKED_LIMIT": &read.unackedLimit,
		"NOTIFYD_QUEUE_MAX_BYTES":      &read.asked,
		"NOTIFYD_QUEUE_SIZE_BYTES":     &read.effective,
	} {
		number, isNumber := new(big.Int).SetString(all[key], 10)
		if !isNumber || !number.IsInt64() || number.Sign() <= 0 {
			return nil, fmt.Errorf("contract: %s: %q is no number above 0", key, all[key])
		}
		*place = number.Int64()
	}
	if read.asked > read.effective {
		return nil, fmt.Errorf("contract: NOTIFYD_QUEUE_MAX_BYTES: %d is more than "+
			"NOTIFYD_QUEUE_SIZE_BYTES, %d", read.asked, read.effective)
	}
	if read.prefixes, err = entries(all, "NOTIFYD_REQUIRED_FIELD_PREFIXES"); err != nil {
		return nil, err
	}
	tenants, err := entries(all, "NOTIFYD_TENANTS")
	if err != nil {
		return nil, err
	}
	for _, tenant := range tenants {
		read.tenants[tenant] = true
	}
	for key, place := range map[string]*string{
		"NOTIFYD_REQUIRED_CORE_VERSION": &read.version,
		"NOTIFYD_QUEUE_URL_IN":          &read.queueURLIn,
		"NOTIFYD_SINK_URL_IN":           &read.sinkURLIn,
	} {
		if *place = all[key]; *place == "" {
			return nil, fmt.Errorf("contract: %s is missing", key)
		}
	}
	return read, nil
}

func readPairs(file string, into map[string]string) error {
	opened, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("contract %s: %w", file, err)
	}
	defer opened.Close()
	lines := bufio.NewScanner(opened)
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if key, value, isPair := strings.Cut(text, "="); isPair {
			into[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("contract %s: %w", file, err)
	}
	return nil
}

func entries(all map[string]string, key string) ([]string, error) {
	var list []string
	for _, entry := range strings.Split(all[key], ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			list = append(list, entry)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("contract: %s: the list is empty", key)
	}
	return list, nil
}
