package delivery

// Finish of another operating system is no part of the build.
func Finish(state, token string) string { return state == "SENDING" && token == "t1" }
