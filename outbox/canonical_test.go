package outbox_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lostreply/outbox"
)

func TestCanonical(t *testing.T) {
	for _, row := range []struct{ payload, want string }{
		{`{"b": 1, "a": [2, {"d": null, "c": true}]}`, `{"a":[2,{"c":true,"d":null}],"b":1}`},
		{`25`, `25`}, {`25.0`, `25`}, {`2.5e1`, `25`}, {`0.25E+2`, `25`}, {`250e-1`, `25`},
		{`-0`, `0`}, {`0.000`, `0`}, {`0e9999999`, `0`}, {`-1.50`, `-1.5`}, {`0.05`, `0.05`},
		{`100`, `100`}, {`1e30`, `1` + strings.Repeat("0", 30)}, {`1e31`, `1e31`},
		{`12e-40`, `12e-40`}, {`1e-31`, `0.` + strings.Repeat("0", 30) + `1`},
		{`0.1000000000000000000000000000000000001`, `0.1000000000000000000000000000000000001`},
		{`"\u0061"`, `"a"`}, {`[]`, `[]`}, {`{}`, `{}`}, {` [ 1 , 2 ] `, `[1,2]`},
		{`{"A": 1, "a": 2}`, `{"A":1,"a":2}`},
	} {
		got, err := outbox.Canonical(row.payload)
		if err != nil || got != row.want {
			t.Errorf("%s: %s, %v; want %s", row.payload, got, err, row.want)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, payload := range []string{
		"", "twenty-five", `{"a": 1} {}`, `{"a": 1, "a": 1}`, `{"a": 1, "\u0061": 1}`, `{"a": 01}`,
		`[1,]`, `{"a"}`, `NaN`, "\"\xff\"", `1e99999999999999999999`, `{"a": [1}`,
		strings.Repeat("[", 100) + strings.Repeat("]", 100),
	} {
		if got, err := outbox.Canonical(payload); !errors.Is(err, outbox.ErrUnreadable) {
			t.Errorf("%q: %q, %v; want ErrUnreadable", payload, got, err)
		}
	}
}

// Two spellings of a number are one canonical text exactly when they are one number.
func TestCanonicalNumbersAreExact(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,6})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		if rapid.Bool().Draw(t, "respell") {
			b = a
			if !strings.ContainsAny(a, "eE") {
				b += "e0"
			}
		}
		left, right := canonical(t, a), canonical(t, b)
		if (left == right) != (rational(t, a).Cmp(rational(t, b)) == 0) {
			t.Fatalf("%s is %s, %s is %s", a, left, b, right)
		}
		if rational(t, left).Cmp(rational(t, a)) != 0 {
			t.Fatalf("%s became %s", a, left)
		}
		if canonical(t, left) != left {
			t.Fatalf("%s is not canonical itself", left)
		}
	})
}

func canonical(t *rapid.T, payload string) string {
	text, err := outbox.Canonical(payload)
	if err != nil {
		t.Fatalf("%s: %v", payload, err)
	}
	return text
}

func rational(t *rapid.T, number string) *big.Rat {
	value, ok := new(big.Rat).SetString(number)
	if !ok {
		t.Fatalf("%s is no number", number)
	}
	return value
}
