package stage

import "lostreply/relay/cmd/relay"
