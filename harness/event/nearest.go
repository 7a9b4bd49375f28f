package event

// Nearest is the index of the address among came that is most like the wanted one, for messages:
// the same event before another, then the same phase, then the nearest number. It is -1 when
// nothing came.
func Nearest(wanted Address, came []Address) int {
	best, bestDistance := -1, 0
	for i, address := range came {
		distance := distanceOf(wanted, address)
		if best < 0 || distance < bestDistance {
			best, bestDistance = i, distance
		}
	}
	return best
}

func distanceOf(wanted, other Address) int {
	distance := wanted.Nth - other.Nth
	if distance < 0 {
		distance = -distance
	}
	const otherPhase, otherEvent = 1_000, 1_000_000
	if wanted.Phase != other.Phase {
		distance += otherPhase
	}
	if wanted.Event != other.Event {
		distance += otherEvent
	}
	return distance
}
