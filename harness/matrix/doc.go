// Package matrix judges what came of running scenarios against variants: whether each variant was
// caught by the checks that it names, and which checks were never seen failing. It works on data:
// it runs nothing.
package matrix
