package delivery

import _ "embed"

// Sticker is on each parcel.
//
//go:embed label.txt
var Sticker string
