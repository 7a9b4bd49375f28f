// Command broker is a NATS server with JetStream on a file store, for one machine: enough of a
// broker to send messages through, kill, and start again on what it has kept. Several can be a
// cluster.
package main

import (
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// readyLimit bounds the start; it is no wait.
const readyLimit = time.Minute

func main() {
	store := flag.String("store", "", "folder that it keeps everything in")
	address := flag.String("address-file", "",
		"file that its address is written to, another one each time")
	id := flag.String("cluster", "", "text that no other cluster of this machine has")
	nodes := flag.String("nodes", "", "names of the cluster's nodes, such as n1,n2,n3")
	node := flag.String("node", "", "which of them this is")
	flag.Parse()
	others, err := clusterOf(*id, *nodes, *node)
	if err == nil {
		err = run(*store, *address, others)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "broker: %v\n", err)
		os.Exit(1)
	}
}

func run(store, addressFile string, others *cluster) error {
	if store == "" || addressFile == "" || flag.NArg() > 0 {
		return errors.New("--store and --address-file are needed, and nothing else")
	}
	// Another broker may get this one's port after its death: the token keeps its clients out there.
	token := rand.Text()
	options := &server.Options{
		ServerName: "broker", Host: "127.0.0.1", Port: server.RANDOM_PORT, Authorization: token,
		JetStream: true, StoreDir: store, NoLog: true, NoSigs: true, DisableShortFirstPing: true,
	}
	if others != nil {
		others.join(options)
	}
	broker, err := server.NewServer(options)
	if err != nil {
		return fmt.Errorf("set up the server: %w", err)
	}
	go broker.Start()
	if !broker.ReadyForConnections(readyLimit) || !broker.JetStreamEnabled() ||
		!knowsLeader(broker) {
		return fmt.Errorf("the server did not become ready with its store in %s", store)
	}
	address := url.URL{Scheme: "nats", User: url.User(token), Host: broker.Addr().String()}
	if err := writeWhole(addressFile, address.String()+"\n"); err != nil {
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

// knowsLeader waits until the server knows who leads its cluster, and has learned from it what the
// cluster holds; a server that is alone knows.
func knowsLeader(broker *server.Server) bool {
	tick := time.NewTicker(betweenLooks)
	defer tick.Stop()
	for deadline := time.Now().Add(readyLimit); time.Now().Before(deadline); <-tick.C {
		if broker.JetStreamIsCurrent() {
			return true
		}
	}
	return false
}

// betweenLooks is how long to wait before the server is asked again.
const betweenLooks = 10 * time.Millisecond

// writeWhole lets no reader see half of it.
func writeWhole(file, content string) error {
	part := filepath.Join(filepath.Dir(file), "."+filepath.Base(file))
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(part, []byte(content), 0o644)
	}
	if err == nil {
		err = os.Rename(part, file)
	}
	if err != nil {
		return fmt.Errorf("write the address: %w", err)
	}
	return nil
}
