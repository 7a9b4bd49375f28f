// Package variant makes the programs of a system: as their source stands, and with a defect put in.
//
// A defect is an edit of one function. Apply finds the place and works on file contents alone;
// Builder hands the edited files to the Go toolchain as an overlay, so that the tree is not touched
// and production code holds no switch. An edit that does not fit exactly once is an error, and
// never a clean build: a defect that no longer applies must not look like one that nothing catches.
//
// Programs that are not written in Go have no build here: they are run as they stand. What they
// need is found or installed by Installer, NeedCommands and FindPython, and what can't be had is
// Unmet. A build by command (npm ci, cargo build) belongs in this package, beside Builder.
package variant
