package wire

// prepared is a statement that a Parse has made, and its parameters' types as far as they are
// known.
type prepared struct {
	script *script
	oids   []uint32
	size   int
}

// execution is a script that a Bind has made ready, or a Query brings; with its names.
type execution struct {
	script *script
	names  []string
}

// outOfSight is a statement that was prepared where the proxy does not look (SQL's own PREPARE), or
// that it had to forget.
var outOfSight = &script{label: "execute", unseen: true}

const (
	// namesKept bounds how many statements, and how many portals, are remembered of a connection;
	// textKept their text in all, bytes.
	namesKept = 1 << 16
	textKept  = 64 << 20
)

// memory is what a connection's later messages refer to.
type memory struct {
	prepared map[string]*prepared
	portals  map[string]execution
	text     int
}

func newMemory() memory {
	return memory{prepared: map[string]*prepared{}, portals: map[string]execution{}}
}

func (m *memory) prepare(name string, p *prepared, size int) {
	m.forget(name)
	if len(m.prepared) >= namesKept || m.text+size > textKept {
		return
	}
	p.size = size + len(name)
	m.text += p.size
	m.prepared[name] = p
}

func (m *memory) forget(name string) {
	if old := m.prepared[name]; old != nil {
		m.text -= old.size
		delete(m.prepared, name)
	}
}

func (m *memory) open(portal string, e execution) {
	if _, known := m.portals[portal]; known || len(m.portals) < namesKept {
		m.portals[portal] = e
	}
}
