// Package explore tries a fault at every place of a scenario's workload. It records what happens
// without a fault, plans one run for each event, phase and act, runs each of them as a scenario
// that it has written itself, and judges by what is left. What it finds is such a scenario, in a
// file.
//
// A run is the text of a scenario before it is anything else: what the explorer ran and what
// somebody runs again from the file can't differ.
package explore
