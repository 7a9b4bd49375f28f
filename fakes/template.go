package fakes

import (
	"encoding/json"
	"regexp"
	"strconv"
)

var placeholder = regexp.MustCompile(`\$\{([^}]*)\}`)

// expand fills a template in one pass, so that a value which looks like a placeholder stays what it
// is.
func expand(template string, values map[string]string) string {
	return placeholder.ReplaceAllStringFunc(template, func(found string) string {
		if value, known := values[found[2:len(found)-1]]; known {
			return value
		}
		return found
	})
}

func requestValues(message string, replayed bool, ref string) map[string]string {
	return map[string]string{
		"id": insideJSON(message), "replayed": strconv.FormatBool(replayed), "ref": insideJSON(ref),
	}
}

func queryValues(ref, ids string, count int) map[string]string {
	return map[string]string{"ref": insideJSON(ref), "count": strconv.Itoa(count), "ids": ids}
}

// insideJSON escapes a text for the place between the quotes of a JSON string.
func insideJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(quoted[1 : len(quoted)-1])
}
