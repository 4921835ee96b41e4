# Minimal standard generator of Park and Miller (CACM 31, 1988): the same numbers from any awk on any machine.
# State is seed, set with -v; products stay below 2^53.
function below(n) {
	seed = (seed * 16807) % 2147483647
	return int(seed / 2147483647 * n)
}

function pick(list,    n, item) {
	n = split(list, item, " ")
	return item[1 + below(n)]
}

# A made-up word: the smaller its rank, the shorter.
function word(rank,    syllable, text) {
	split("ba ke lo mi nu ra se ti vo za che dra fli gro pla sto the wen", syllable, " ")
	text = syllable[1 + rank % 18]
	for (rank = int(rank / 18); rank > 0; rank = int(rank / 18))
		text = text syllable[1 + rank % 18]
	return text
}

# A word drawn with a probability that falls with its rank, as in a real text (Zipf's law).
function any_word(    u) {
	u = below(1000000) / 1000000
	return word(int(exp(u * log(20000))) - 1)
}

function sentence(count,    text) {
	text = any_word()
	while (--count > 0)
		text = text " " any_word()
	return text
}
