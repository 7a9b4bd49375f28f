package verb

type registry struct{}

func (registry) init() {}

func init() {
	registry{}.init()
}
