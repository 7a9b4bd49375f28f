package main

import (
	"fmt"
	"syscall"
)

// compareBuffer asks the kernel, on a socket of the probe's own, what the size that the relay asked
// for comes to.
func compareBuffer(claims map[string]any) []string {
	asked, hasAsked := number(claims["send_buffer_asked_bytes"])
	if !hasAsked {
		return nil
	}
	effective, err := effectiveBuffer(int(asked))
	if err != nil {
		return []string{fmt.Sprintf("can't tell what a send buffer of %d bytes comes to: %v", asked, err)}
	}
	if claim, _ := number(claims["send_buffer_bytes"]); claim != int64(effective) {
		return []string{fmt.Sprintf("the relay claims send_buffer_bytes=%v, and it is %d",
			claims["send_buffer_bytes"], effective)}
	}
	return nil
}

func effectiveBuffer(asked int) (int, error) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(socket)
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_SNDBUF, asked); err != nil {
		return 0, err
	}
	return syscall.GetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_SNDBUF)
}
