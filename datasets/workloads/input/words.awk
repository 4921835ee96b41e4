# Counts words, word pairs and letters of a corpus given N times; prints one line.
FNR == 1 { iterations++ }

{
	total += NF
	for (i = 3; i <= NF; i++) {
		count[$i]++
		pair[substr($(i - 1), 1, 2) substr($i, 1, 2)]++
		letters += length($i)
		if ($i ~ /^(ba|ke).*(ra|se)$/)
			matched++
	}
	gsub(/[aeiou]+/, "")
	consonants += length($0)
}

END {
	for (w in count)
		checksum = (checksum + count[w] * length(w)) % 4294967291
	for (p in pair)
		checksum = (checksum + pair[p] * pair[p]) % 4294967291
	checksum = (checksum + total + letters + matched + consonants) % 4294967291
	printf "%s: %d iterations, checksum %08x\n", name, iterations, checksum
}
