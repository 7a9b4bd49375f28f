// Package harness runs scenarios as Go tests (Run, Main), for any module that imports it. All else
// is in the packages below it.
//
// From the top down; each imports only what stands lower:
//
//	record   runs a system once and prints its events     report   prints and compares results
//	first    writes a first system of one's own              matrix   judges what became of defects
//	run      one scenario to its verdict; many at once
//	verb     does the steps, one file for each
//	stage    what one run owns: databases, channels,      fact     reads facts at the edge
//	         workers, gate
//	lab      what outlives a run: server, builds, templates, keeper
//	launch   what a program is executed as
//	postgres finds, starts, clones, crashes PostgreSQL    process  owns process groups
//	wire     the proxy between a worker and PostgreSQL    variant  applies defects and builds
//	revision checks out git revisions
//	         (and ../fakes: the channels)
//	gate     decides what becomes of each event           clock    the only door to time
//	result   what a run came to, as data
//	event    events and addresses      scenario  the files, and every mistake in them
//	check    values and expectations   strict    YAML to Go, and to JSON Schema
//
// selftest runs the whole from outside.
//
// The rule: imports go one way, and no package here imports a system under test (dispatcher); those
// come in by their system.yaml. event, gate and check work on data alone. A test in internal/house
// holds the picture and says why an import is refused. ../docs/DESIGN.md tells how a scenario
// passes through the packages.
package harness
