package variant

// closest remembers the place that differs least from what was wanted, so that a reader sees where
// the source has moved on.
type closest struct {
	wanted     []unit
	file       *source
	start, end int
	distance   int
}

func newClosest(wanted []unit) *closest {
	return &closest{wanted: wanted, distance: len(wanted)}
}

// look compares wanted with every stretch of units: an edit distance whose beginning and end in the
// units are free (Sellers 1980). Only a stretch that shares something is a place.
func (c *closest) look(file *source, units []unit) {
	type cell struct{ distance, start int }
	column := make([]cell, len(c.wanted)+1)
	for row := range column {
		column[row] = cell{row, 0}
	}
	for i, unit := range units {
		diagonal := column[0]
		column[0] = cell{0, i + 1}
		for row := 1; row <= len(c.wanted); row++ {
			best := diagonal
			if unit.text != c.wanted[row-1].text {
				best.distance++
			}
			if above := column[row-1]; above.distance+1 < best.distance {
				best = cell{above.distance + 1, above.start}
			}
			if left := column[row]; left.distance+1 < best.distance {
				best = cell{left.distance + 1, left.start}
			}
			diagonal, column[row] = column[row], best
		}
		if end := column[len(c.wanted)]; end.distance < c.distance && end.start <= i {
			c.file, c.distance = file, end.distance
			c.start, c.end = units[end.start].start, unit.end
		}
	}
}

// match is the closest place, or nil when nothing is alike.
func (c *closest) match() *match {
	if c.file == nil {
		return nil
	}
	return &match{file: c.file, start: c.start, end: c.end}
}
