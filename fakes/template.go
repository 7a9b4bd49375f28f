package fakes

import (
	"encoding/json"
	"regexp"
	"strconv"
)

// The names that the body of an answer can use, by what it answers.
func requestNames() []string { return []string{"id", "replayed", "ref"} }
func queryNames() []string   { return []string{"ref", "count", "ids"} }

var placeholder = regexp.MustCompile(`\$\{([^}]*)\}`)

// namesIn are the names that a template uses, in their order.
func namesIn(template string) []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(template, -1) {
		names = append(names, match[1])
	}
	return names
}

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
