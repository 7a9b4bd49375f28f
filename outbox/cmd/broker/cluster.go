package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

// cluster is the brokers that this one is one of.
type cluster struct {
	id    [sha256.Size]byte
	nodes []string
	own   int
}

// clusterOf reads the flags of a cluster: who is in it, who of them this is, and a text that no
// other cluster of this machine has.
func clusterOf(id, nodes, own string) (*cluster, error) {
	if nodes == "" {
		return nil, nil
	}
	c := &cluster{id: sha256.Sum256([]byte(id)), nodes: strings.Split(nodes, ",")}
	c.own = slices.Index(c.nodes, own)
	if c.own < 0 || id == "" || len(c.nodes) > lastNode {
		return nil, fmt.Errorf("--node %q must be one of --nodes %q, %d at most, and --cluster "+
			"must be given", own, nodes, lastNode)
	}
	return c, nil
}

// lastNode is how many nodes an address has room for.
const lastNode = 250

// The ports below those that the system gives out by itself.
const (
	firstPort = 10000
	ports     = 20000
)

// name and secret keep out what belongs to another cluster.
func (c *cluster) name() string   { return "cluster-" + hex.EncodeToString(c.id[:8]) }
func (c *cluster) secret() string { return hex.EncodeToString(c.id[8:]) }

// host and port are where a node listens for the others. All of 127.0.0.0/8 is this machine's own:
// an address that follows from the cluster's id needs no looking for a free port, which another
// process could take before the node listens, or while it is down.
func (c *cluster) host(node int) string {
	return fmt.Sprintf("127.%d.%d.%d", 1+c.id[0]%250, c.id[1], 1+node)
}

func (c *cluster) port() int {
	return firstPort + int(binary.BigEndian.Uint16(c.id[2:])%ports)
}

// address is where a node listens for the others.
func (c *cluster) address(node int) string {
	return fmt.Sprintf("%s:%d", c.host(node), c.port())
}

// join makes the options those of a node.
func (c *cluster) join(options *server.Options) {
	options.ServerName = c.nodes[c.own]
	options.Cluster = server.ClusterOpts{
		Name: c.name(), Host: c.host(c.own), Port: c.port(), Username: "node", Password: c.secret(),
		NoAdvertise: true,
	}
	for node := range c.nodes {
		if node != c.own {
			options.Routes = append(options.Routes, &url.URL{
				Scheme: "nats-route", User: url.UserPassword("node", c.secret()),
				Host: c.address(node),
			})
		}
	}
}
