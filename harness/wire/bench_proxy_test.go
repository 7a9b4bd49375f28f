package wire_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"lostreply/harness/gate"
	"lostreply/harness/wire"
)

// The variables that make this test binary one of the proxies that are compared.
const (
	proxyVariable    = "LOSTREPLY_BENCH_PROXY"
	upstreamVariable = "LOSTREPLY_BENCH_UPSTREAM"
)

// startProxy runs a proxy as a process of its own, until the benchmark ends. Its address is the
// first line that it prints.
func startProxy(b *testing.B, kind, upstream string) (address string) {
	b.Helper()
	binary, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	proxy := exec.Command(binary)
	proxy.Env = append(os.Environ(), proxyVariable+"="+kind, upstreamVariable+"="+upstream)
	proxy.Stderr = os.Stderr
	// It ends when this end of its standard input is closed, also by this process's death.
	input, err := proxy.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	output, err := proxy.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := proxy.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = input.Close()
		_ = proxy.Wait()
	})
	address, err = bufio.NewReader(output).ReadString('\n')
	if err != nil {
		b.Fatalf("the proxy %s did not start: %v", kind, err)
	}
	return strings.TrimSpace(address)
}

// beProxy is the proxy, from its start to the end of standard input.
func beProxy(kind, upstream string) {
	var address string
	var err error
	switch kind {
	case "copy":
		address, err = bareCopy(upstream)
	case "proxy":
		address, err = wireProxy(upstream)
	case "toxiproxy":
		address, err = toxiProxy(upstream)
	default:
		err = fmt.Errorf("no proxy is called %s", kind)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(address)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// wireProxy is the proxy under test, with the events of a small system.
func wireProxy(upstream string) (string, error) {
	listener, err := wire.Listen(context.Background(), wire.Config{
		Worker: "a", Incarnation: 1, Database: "main", Gate: gate.New(holds{}),
		Dial: func(ctx context.Context) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, "tcp", upstream)
		},
		Namer: wire.Names{
			{Name: "look", Contains: "select balance from account"},
			{Name: "change", Label: "update account"},
			{Name: "note", Command: "insert", Params: map[int]string{1: "7"}},
		},
	})
	if err != nil {
		return "", err
	}
	return listener.Addr(), nil
}

// bareCopy copies bytes and does nothing else.
func bareCopy(upstream string) (string, error) {
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	carry := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		_ = to.Close()
	}
	go func() {
		for {
			client, err := socket.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", upstream)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return
			}
			go carry(server, client)
			go carry(client, server)
		}
	}()
	return socket.Addr().String(), nil
}

// toxiProxy is a proxy of toxiproxy, with no toxic.
func toxiProxy(upstream string) (string, error) {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	proxy := toxiproxy.NewProxy(server, "main", "127.0.0.1:0", upstream)
	if err := proxy.Start(); err != nil {
		return "", err
	}
	return proxy.Listen, nil
}
