# A corpus of made-up words, one document a line: number, title, text (tab separated). Set documents with -v.
BEGIN {
	for (i = 1; i <= documents; i++)
		printf "%d\t%s\t%s\n", i, sentence(4), sentence(20 + below(60))
}
