package check

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A value, expected or read, is one of: nil, bool, int64, float64, Number, string, []any, and Map
// or map[string]any for an object. What else Go code commonly holds (smaller integers, json.Number,
// time.Time, []byte) is turned into one of these; a type beyond those is never equal to anything.

// Number is a decimal number kept exactly, as PostgreSQL writes a `numeric`: "25.00", "NaN". It is
// how the reader of a fact tells a number from a text that looks like one.
type Number string

// Pair is one entry of a Map.
type Pair struct {
	Key   string
	Value any
}

// Map is an object whose entries keep the order in which a scenario wrote them. The order decides
// how it is printed, never whether it is equal.
type Map []Pair

// unreadable stands for a value of a type that has no meaning here.
type unreadable struct{ goType string }

// plain turns a value into one of the types that the package compares.
func plain(value any) any {
	switch v := value.(type) {
	case nil, bool, int64, string, Number, unreadable:
		return v
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case int16:
		return int64(v)
	case float64:
		return plainFloat(v, 64)
	case float32:
		return plainFloat(float64(v), 32)
	case json.Number:
		return Number(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case []byte:
		return `\x` + hex.EncodeToString(v)
	default:
		return plainMany(value)
	}
}

// plainFloat writes a float in the fewest digits that read back as itself, so that 0.1 in a
// scenario is 0.1 of a `numeric` and of a `real`.
func plainFloat(value float64, bits int) Number {
	switch {
	case math.IsInf(value, 1):
		return "Infinity"
	case math.IsInf(value, -1):
		return "-Infinity"
	default:
		format := byte('f')
		if size := math.Abs(value); size != 0 && (size < 1e-6 || size >= 1e21) {
			format = 'e'
		}
		return Number(strconv.FormatFloat(value, format, -1, bits))
	}
}

func plainMany(value any) any {
	switch v := value.(type) {
	case []any:
		values := make([]any, len(v))
		for i, element := range v {
			values[i] = plain(element)
		}
		return values
	case []string:
		values := make([]any, len(v))
		for i, element := range v {
			values[i] = element
		}
		return values
	case map[string]any:
		pairs := make(Map, 0, len(v))
		for key, element := range v {
			pairs = append(pairs, Pair{Key: key, Value: plain(element)})
		}
		return sortedByKey(pairs)
	case Map:
		pairs := make(Map, 0, len(v))
		for _, pair := range v {
			pairs = append(pairs, Pair{Key: pair.Key, Value: plain(pair.Value)})
		}
		return sortedByKey(pairs)
	default:
		return unreadable{goType: fmt.Sprintf("%T", value)}
	}
}

func sortedByKey(pairs Map) Map {
	slices.SortStableFunc(pairs, func(a, b Pair) int { return strings.Compare(a.Key, b.Key) })
	return pairs
}

// Equal tells whether a value that was read is the expected one. Numbers are equal as numbers,
// whatever their types; a text is never equal to a number, and null only to null.
func Equal(expected, actual any) bool { return equalPlain(plain(expected), plain(actual)) }

func equalPlain(expected, actual any) bool {
	switch e := expected.(type) {
	case nil:
		return actual == nil
	case bool:
		a, isBool := actual.(bool)
		return isBool && a == e
	case string:
		a, isText := actual.(string)
		return isText && a == e
	case int64, Number:
		return equalNumbers(expected, actual)
	case []any:
		a, isList := actual.([]any)
		return isList && slices.EqualFunc(e, a, equalPlain)
	case Map:
		a, isMap := actual.(Map)
		return isMap && slices.EqualFunc(e, a, func(x, y Pair) bool {
			return x.Key == y.Key && equalPlain(x.Value, y.Value)
		})
	default:
		return false
	}
}

func equalNumbers(expected, actual any) bool {
	if !isNumber(expected) || !isNumber(actual) {
		return false
	}
	e, expectedIsDecimal := decimal(expected)
	a, actualIsDecimal := decimal(actual)
	if expectedIsDecimal && actualIsDecimal {
		return e.Cmp(a) == 0
	}
	return fmt.Sprint(expected) == fmt.Sprint(actual)
}

func isNumber(value any) bool {
	switch value.(type) {
	case int64, Number:
		return true
	default:
		return false
	}
}

// decimal is the exact value of a plain number; NaN and the infinities have none.
func decimal(value any) (*big.Rat, bool) {
	switch v := value.(type) {
	case int64:
		return new(big.Rat).SetInt64(v), true
	case Number:
		// A fraction is a number to big.Rat and to nobody else.
		if strings.Contains(string(v), "/") {
			return nil, false
		}
		return new(big.Rat).SetString(string(v))
	default:
		return nil, false
	}
}

// mistaken says how an expected value was probably meant, when it differs from the actual one only
// by its type; empty when it does not.
func mistaken(expected, actual any) string {
	expected, actual = plain(expected), plain(actual)
	if equalPlain(expected, actual) {
		return ""
	}
	switch a := actual.(type) {
	case string:
		b, isBool := expected.(bool)
		spelled := isBool && (a == fmt.Sprint(b) || a == fmt.Sprint(b)[:1])
		if spelled || isNumber(expected) && equalNumbers(expected, Number(a)) {
			return "the column is text: quote the expected value, " + strconv.Quote(a)
		}
	case int64, Number:
		if e, isText := expected.(string); isText && equalNumbers(Number(e), a) {
			return "the column is a number: write the expected value without quotes"
		}
	case bool:
		e, isText := expected.(string)
		if isText && (e == fmt.Sprint(a) || e == fmt.Sprint(a)[:1]) {
			return fmt.Sprintf("the column is boolean: write %t without quotes", a)
		}
	case nil:
		if e, isText := expected.(string); isText && e == "null" {
			return "the value is null: write null without quotes"
		}
		if e, isText := expected.(string); isText && e == "" {
			return "the value is null, which is not the empty text: write null"
		}
	}
	return ""
}
