package silent

func TestNamesNeedNoComment() {}
