package house

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// homes are folders that only one machine has.
var homes = regexp.MustCompile(
	`(?:^|[\s"'=(:\x60])(/(?:root|home/[a-z][\w.-]*|Users/[A-Z]?[a-z]\w*)/)`)

// machine is what the machine at hand is known by: where the checkout and the home folder are, and
// which hosts packages come from. None of it belongs into the project.
type machine struct{ folders, hosts []string }

// thisMachine finds the names without the project having to name them.
func thisMachine(t *testing.T, root string) machine {
	t.Helper()
	m := machine{folders: []string{root}}
	if home, err := os.UserHomeDir(); err == nil {
		m.folders = append(m.folders, home)
	}
	addresses := []string{os.Getenv("NPM_CONFIG_REGISTRY"), os.Getenv("npm_config_registry")}
	proxies, err := exec.Command("go", "env", "GOPROXY").Output()
	if err != nil {
		t.Fatalf("ask the go command for its proxies: %v", err)
	}
	addresses = append(addresses, strings.FieldsFunc(strings.TrimSpace(string(proxies)),
		func(r rune) bool { return r == ',' || r == '|' })...)
	for _, address := range addresses {
		if parsed, err := url.Parse(address); err == nil && parsed.Host != "" {
			m.hosts = append(m.hosts, parsed.Host)
		}
	}
	return m
}

// traces finds names of a machine in a file.
func (m machine) traces(name string, content []byte) []finding {
	if bytes.IndexByte(content, 0) >= 0 {
		return nil
	}
	var findings []finding
	for i, line := range strings.Split(string(content), "\n") {
		if trace := m.trace(line); trace != "" {
			findings = append(findings, finding{name, i + 1, fmt.Sprintf(
				"%s is of one machine only: use a relative path, a flag or the environment", trace)})
		}
	}
	return findings
}

func (m machine) trace(line string) string {
	if found := homes.FindStringSubmatch(line); found != nil {
		return found[1]
	}
	for _, folder := range m.folders {
		// A folder at the top ("/src") is a word that other paths hold too.
		if strings.Count(folder, "/") >= 2 && strings.Contains(line, folder) {
			return folder
		}
	}
	for _, host := range m.hosts {
		if strings.Contains(line, host) {
			return host
		}
	}
	return ""
}
