package outbox

import (
	"fmt"
	"strconv"
	"strings"
)

// plainZeros is how many zeros a number may need on either side to be written without an exponent.
const plainZeros = 30

// canonicalNumber writes a JSON number (RFC 8259 section 6) in one notation, digit for digit: no
// sign but a minus, no leading or trailing zeros, an exponent only where plain digits would be
// long.
func canonicalNumber(number string) (string, error) {
	digits, negative := strings.CutPrefix(number, "-")
	digits, exponentText, hasExponent := strings.Cut(strings.ToLower(digits), "e")
	exponent := 0
	if hasExponent {
		var err error
		if exponent, err = strconv.Atoi(strings.TrimPrefix(exponentText, "+")); err != nil {
			return "", fmt.Errorf("number %s: its exponent is out of range", number)
		}
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(significant)
	if significant == "" {
		return "0", nil
	}
	text := withPoint(significant, exponent)
	if negative {
		text = "-" + text
	}
	return text, nil
}

// withPoint writes digits times ten to the power of exponent.
func withPoint(digits string, exponent int) string {
	point := len(digits) + exponent // how many digits stand before the point
	switch {
	case exponent > plainZeros || point < -plainZeros:
		return digits + "e" + strconv.Itoa(exponent)
	case exponent >= 0:
		return digits + strings.Repeat("0", exponent)
	case point > 0:
		return digits[:point] + "." + digits[point:]
	default:
		return "0." + strings.Repeat("0", -point) + digits
	}
}
