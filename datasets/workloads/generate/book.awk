# A book in our own small XML vocabulary: chapters of sections with paragraphs, lists and tables.
function table(    i) {
	print "<table>"
	for (i = 1; i <= 8; i++)
		printf "<row><name>%s</name><count>%d</count><share>%.2f</share></row>\n", word(below(5000)), below(100000), below(10000) / 100
	print "</table>"
}

function list(    i) {
	print "<list>"
	for (i = 1; i <= 5; i++)
		printf "<item>%s</item>\n", sentence(6 + below(10))
	print "</list>"
}

function section(    i) {
	printf "<section><title>%s</title>\n", sentence(3)
	for (i = 1; i <= 4; i++)
		printf "<para>%s <em>%s</em> %s.</para>\n", sentence(30 + below(40)), any_word(), sentence(10 + below(30))
	if (below(2)) table(); else list()
	print "</section>"
}

BEGIN {
	print "<book>"
	for (c = 1; c <= 10; c++) {
		printf "<chapter id=\"c%d\"><title>%s</title>\n", c, sentence(4)
		for (s = 1; s <= 5; s++)
			section()
		print "</chapter>"
	}
	print "</book>"
}
