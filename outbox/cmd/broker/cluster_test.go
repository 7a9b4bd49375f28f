package main

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

func TestTheNodesOfAClusterFindEachOtherAndNobodyElse(t *testing.T) {
	routes := map[string]string{}
	addresses := map[string]bool{}
	for _, id := range []string{"one", "another"} {
		for _, node := range []string{"n1", "n2", "n3"} {
			c, err := clusterOf(id, "n1,n2,n3", node)
			if err != nil {
				t.Fatal(err)
			}
			var options server.Options
			c.join(&options)
			own := options.Cluster
			address := c.address(c.own)
			if addresses[address] || own.Host == "127.0.0.1" {
				t.Errorf("node %s of %s: address %s is somebody else's", node, id, address)
			}
			addresses[address] = true
			if options.ServerName != node || len(options.Routes) != 2 {
				t.Errorf("node %s of %s: called %s, %d routes", node, id, options.ServerName,
					len(options.Routes))
			}
			for _, route := range options.Routes {
				if password, _ := route.User.Password(); password != own.Password {
					t.Errorf("node %s of %s: a route with another password", node, id)
				}
				routes[route.Host] = id
			}
		}
	}
	for address := range addresses {
		if routes[address] == "" {
			t.Errorf("no route leads to %s", address)
		}
	}
	if len(routes) != len(addresses) {
		t.Errorf("%d addresses, routes to %d", len(addresses), len(routes))
	}
}

func TestWhatIsNoCluster(t *testing.T) {
	if c, err := clusterOf("", "", ""); c != nil || err != nil {
		t.Errorf("a broker that is alone: %v, %v", c, err)
	}
	for _, flags := range [][3]string{{"id", "n1,n2", "n3"}, {"", "n1,n2", "n1"}, {"id", "n1", ""}} {
		if _, err := clusterOf(flags[0], flags[1], flags[2]); err == nil {
			t.Errorf("%q was taken", flags)
		}
	}
}
