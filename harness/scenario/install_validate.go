package scenario

import (
	"regexp"

	"lostreply/harness/strict"
)

// The names and versions that npm's registry knows (its documentation of package.json: name; and
// Semantic Versioning 2.0.0, of which only one exact version is allowed here).
var (
	packageName  = regexp.MustCompile(`^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$`)
	exactVersion = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	pythonModule = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$`)
)

func (i *Install) validate(problems *Problems) {
	if i == nil {
		return
	}
	for _, entry := range i.NPM.Entries {
		if !packageName.MatchString(entry.Name) {
			problems.Addf(entry.At, "%q can't be the name of an npm package", entry.Name)
		}
		if version := entry.Value; !exactVersion.MatchString(version.Value) {
			problems.Addf(version.At, "npm package %s: expected one exact version such as 8.16.3, got %q: "+
				"a range would be another program tomorrow", entry.Name, version.Value)
		}
	}
}

func (n *Needs) validate(problems *Problems) {
	if n == nil {
		return
	}
	if len(n.Commands)+len(n.Python) == 0 {
		problems.Addf(n.At, "needs names nothing: give commands or python")
	}
	for _, command := range n.Commands {
		if command.Value == "" {
			problems.Addf(command.At, "a needed command has no name")
		}
	}
	for _, module := range n.Python {
		if !pythonModule.MatchString(module.Value) {
			problems.Addf(module.At, "%q can't be the name of a Python module", module.Value)
		}
	}
}

// validateBuilds reports what is wrong with what the system needs, installs and varies.
func (s *System) validateBuilds(problems *Problems) {
	s.Needs.validate(problems)
	s.Install.validate(problems)
	defects := s.defectNames()
	for _, entry := range s.Programs.Entries {
		entry.Value.Needs.validate(problems)
		entry.Value.Install.validate(problems)
	}
	for _, entry := range s.Variants.Entries {
		if contains(defects, entry.Name) {
			problems.Addf(entry.At, "%s is the name of a defect already: %s",
				entry.Name, s.DefectsFolder())
		}
		entry.Value.Install.validate(problems)
	}
}

// checkVariant reports a variant that the system does not have.
func (s *System) checkVariant(problems *Problems, name strict.Text) {
	if name.Value != "" && !contains(s.VariantNames(), name.Value) {
		problems.Addf(name.At, "%s", strict.Unknown("variant", name.Value, s.VariantNames()))
	}
}
