// Command broker is a NATS server with JetStream on a file store, for one machine: enough of a
// broker to send messages through, kill, and start again on what it has kept.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// readyLimit bounds the start; it is no wait.
const readyLimit = time.Minute

func main() {
	store := flag.String("store", "", "folder that it keeps everything in")
	address := flag.String("address-file", "",
		"file that its address is written to; it listens there again when it is started again")
	flag.Parse()
	if err := run(*store, *address); err != nil {
		fmt.Fprintf(os.Stderr, "broker: %v\n", err)
		os.Exit(1)
	}
}

func run(store, addressFile string) error {
	if store == "" || addressFile == "" || flag.NArg() > 0 {
		return errors.New("--store and --address-file are needed, and nothing else")
	}
	port, err := portBefore(addressFile)
	if err != nil {
		return err
	}
	broker, err := server.NewServer(&server.Options{
		ServerName: "broker", Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: store,
		NoLog: true, NoSigs: true, DisableShortFirstPing: true,
	})
	if err != nil {
		return fmt.Errorf("set up the server: %w", err)
	}
	go broker.Start()
	if !broker.ReadyForConnections(readyLimit) || !broker.JetStreamEnabled() {
		return fmt.Errorf("the server did not become ready on port %d with its store in %s",
			port, store)
	}
	if err := writeWhole(addressFile, broker.ClientURL()+"\n"); err != nil {
		return err
	}
	fmt.Println("BROKER READY")
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT)
	<-asked
	broker.Shutdown()
	broker.WaitForShutdown()
	return nil
}

// portBefore is where it listened before, or a free port.
func portBefore(addressFile string) (int, error) {
	content, err := os.ReadFile(addressFile)
	if errors.Is(err, os.ErrNotExist) {
		return server.RANDOM_PORT, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the address of before: %w", err)
	}
	before, err := url.Parse(strings.TrimSpace(string(content)))
	if err != nil {
		return 0, fmt.Errorf("address of before in %s: %w", addressFile, err)
	}
	_, text, err := net.SplitHostPort(before.Host)
	if err != nil {
		return 0, fmt.Errorf("address of before in %s: %w", addressFile, err)
	}
	return strconv.Atoi(text)
}

// writeWhole lets no reader see half of it.
func writeWhole(file, content string) error {
	part := filepath.Join(filepath.Dir(file), "."+filepath.Base(file))
	err := os.WriteFile(part, []byte(content), 0o644)
	if err == nil {
		err = os.Rename(part, file)
	}
	if err != nil {
		return fmt.Errorf("write the address: %w", err)
	}
	return nil
}
