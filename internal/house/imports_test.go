package house

import (
	"slices"
	"strings"
)

// layers are the folders of the module but for the systems, from the top down. A package imports
// only from layers below its own; what lies below one of these folders belongs to it.
var layers = [][]string{
	{"cmd/lostreply", entry, "harness/selftest", "internal/docs"},
	{"harness/explore", "harness/record", "harness/report", "harness/first",
		"harness/matrix"},
	{"harness/run"},
	{"harness/verb"},
	{"harness/stage", "harness/fact"},
	{"harness/lab"},
	{"harness/launch"},
	{"harness/postgres", "harness/process", "harness/wire", "fakes", "harness/variant",
		"harness/revision"},
	{"harness/gate", "harness/clock", "harness/result"},
	{"harness/event", "harness/scenario", "harness/check", "harness/strict"},
}

// entry is the package that Go tests of other modules import. What lies below its folder does not
// belong to it.
const entry = "harness"

// neighbours are the imports that are allowed within a layer.
var neighbours = map[string][]string{
	"harness/stage":    {"harness/fact"},
	"harness/scenario": {"harness/event", "harness/strict"},
	"harness/check":    {"harness/strict"},
}

// pure are the packages that work on data alone, and edges the packages by which code would touch
// anything else.
var (
	pure  = []string{"harness/event", "harness/gate", "harness/check"}
	edges = []string{
		"database/sql", "io/fs", "log", "net", "net/http", "os", "os/exec", "os/signal", "syscall",
	}
)

// loose are folders that are no part of the picture: they import nothing of the module, and nothing
// imports them.
var loose = []string{"internal/house"}

// wrongImports finds imports against the direction of the layers.
func wrongImports(s source) []finding {
	var findings []finding
	if !isSystem(s.folder) && !slices.Contains(loose, s.folder) && layerOf(s.folder) < 0 {
		findings = append(findings, s.finding(s.syntax.Package,
			"folder %s is in no layer: add it to the layers in internal/house", s.folder))
	}
	for _, spec := range s.syntax.Imports {
		imported := importPath(spec)
		reason := ""
		if own, isOwn := strings.CutPrefix(imported, module+"/"); isOwn {
			reason = refusal(s, own)
		} else if slices.Contains(pure, s.folder) && !s.isTest && slices.Contains(edges, imported) {
			reason = "it works on data alone; read and write at the edge, in a layer above"
		}
		if reason != "" {
			findings = append(findings, s.finding(spec.Pos(), "%s imports %s: %s",
				s.folder, strings.TrimPrefix(imported, module+"/"), reason))
		}
	}
	return findings
}

// refusal is why a file may not import a package of the module; empty when it may.
func refusal(s source, imported string) string {
	from, to := family(s.folder), family(imported)
	helper := strings.HasSuffix(imported, "test")
	switch {
	case from == to && from != "":
		if helper && !s.isTest && s.folder != imported {
			return "it is a helper of tests, and this is none"
		}
		return ""
	case isSystem(imported):
		return "a system is a process behind its system.yaml; nothing else knows its code"
	case isSystem(s.folder):
		if s.isTest {
			return ""
		}
		return "a system knows nothing of the harness or of other systems; only its tests may"
	case helper:
		if s.isTest {
			return ""
		}
		return "it is a helper of tests, and this is none"
	default:
		return againstLayers(from, to)
	}
}

func againstLayers(from, to string) string {
	upper, lower := layerOf(from), layerOf(to)
	switch {
	case lower < 0:
		return "it is in no layer: add it to the layers in internal/house"
	case upper < lower || slices.Contains(neighbours[from], to):
		return ""
	case upper == lower:
		return "both are in one layer; move what they share into a layer below"
	default:
		return "imports go one way, and it is in a layer above (" +
			strings.Join(layers[lower], ", ") + "); take a narrow interface instead"
	}
}

// family is the entry of the layers, or the system, that a folder belongs to; empty if it has none.
func family(folder string) string {
	for _, known := range slices.Concat(slices.Concat(layers...), systems) {
		if folder == known || known != entry && within(folder, known) {
			return known
		}
	}
	return ""
}

// layerOf is the number of a folder's layer, from the top; -1 when it is in none.
func layerOf(folder string) int {
	return slices.IndexFunc(layers, func(layer []string) bool {
		return slices.Contains(layer, family(folder))
	})
}
