package scenario

import "strings"

// naturalLess orders names the way a reader counts: runs of digits compare as numbers.
func naturalLess(a, b string) bool {
	for a != "" && b != "" {
		headA, restA := splitDigits(a)
		headB, restB := splitDigits(b)
		if headA != headB {
			if isDigit(headA[0]) && isDigit(headB[0]) {
				return numberLess(headA, headB)
			}
			return headA < headB
		}
		a, b = restA, restB
	}
	return len(a) < len(b)
}

// splitDigits cuts off the leading run of digits, or the leading run of everything else.
func splitDigits(text string) (head, rest string) {
	digits := isDigit(text[0])
	end := strings.IndexFunc(text, func(r rune) bool { return (r >= '0' && r <= '9') != digits })
	if end < 0 {
		return text, ""
	}
	return text[:end], text[end:]
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func numberLess(a, b string) bool {
	trimmedA, trimmedB := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(trimmedA) != len(trimmedB) {
		return len(trimmedA) < len(trimmedB)
	}
	if trimmedA != trimmedB {
		return trimmedA < trimmedB
	}
	return a < b
}
