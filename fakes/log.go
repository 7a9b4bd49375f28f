package fakes

import (
	"encoding/json"
	"net/http"
)

// writeLog answers with the journal so far: {"channel": NAME, "records": [{COLUMN: VALUE, …}, …]}
// with the columns of JournalColumns, in the order of arrival.
func (c *Channel) writeLog(w http.ResponseWriter) {
	table := c.Table()
	records := make([]map[string]any, len(table.Rows))
	for i, row := range table.Rows {
		records[i] = make(map[string]any, len(row))
		for j, column := range table.Columns {
			records[i][column] = row[j]
		}
	}
	content, err := json.Marshal(map[string]any{"channel": c.name, "records": records})
	if err != nil {
		panic(err) // texts, numbers and booleans always encode
	}
	header := w.Header()
	header["Date"] = nil
	header.Set("Content-Type", "application/json")
	_, _ = w.Write(content) // an error means that the reader is gone
}
