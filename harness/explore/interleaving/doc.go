// Package interleaving says in which orders workers are to take turns so that everything that
// can come of their order is seen, and no two orders are tried of which it is known that they
// come to the same. It is pure: it runs nothing, and is told what each run came to.
//
// It is a stateless search with dynamic partial-order reduction by source sets and sleep sets
// (P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, "Source Sets: A Foundation for Optimal Dynamic
// Partial Order Reduction", Journal of the ACM 64 (4), 2017). What it takes for a race is two
// exchanges of two workers that do not commute, by Independent, and of which neither must come
// before the other for some other reason. Where two commute, only one of their orders is tried.
package interleaving
