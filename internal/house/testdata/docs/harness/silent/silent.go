package silent

const Limit = 1

type (
	Thing struct{}
	// Other is described.
	Other struct{}
)

func (*Thing) Do() {}

//go:noinline
func Directive() {}
