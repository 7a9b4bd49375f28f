// Package variant makes the programs of a system: as their source stands, and with a defect put in.
//
// A defect is an edit of one function. Apply finds the place and works on file contents alone;
// Builder hands the edited files to the Go toolchain as an overlay, so that the tree is not touched
// and production code holds no switch. An edit that does not fit exactly once is an error, and
// never a clean build: a defect that no longer applies must not look like one that nothing catches.
//
// Programs that are not written in Go have no build here: they are run as they stand. A build by
// command (npm ci, cargo build) and the installing of a library's version belong in this package,
// beside Builder.
package variant
