package lab

// keepNote remembers a database that was left up.
func (l *Lab) keepNote(line string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.kept = append(l.kept, line)
}

// Kept says of each database that was left up how to connect to it.
func (l *Lab) Kept() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return append([]string(nil), l.kept...)
}
