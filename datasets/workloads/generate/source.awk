# Java source text: one outer class with nested generic classes, loops, switches and lambdas.
function expression(depth) {
	if (depth == 0)
		return below(3) ? pick("a b c") : 1 + below(1000)
	return "(" expression(depth - 1) " " pick("+ - * ^ | &") " " expression(depth - 1) ")"
}

function branch(    i) {
	print "            switch (i % 4) {"
	for (i = 0; i < 3; i++)
		printf "            case %d: b += %s; break;\n", i, expression(2)
	printf "            default: c ^= %s;\n            }\n", expression(1)
}

function method(id) {
	printf "        long m%d(long a, long b, long c) {\n", id
	printf "            for (int i = 0; i < %d; i++) {\n", 1 + below(100)
	printf "            a = %s;\n", expression(3)
	branch()
	printf "            }\n            final long d = %s;\n", expression(2)
	printf "            java.util.function.LongUnaryOperator f = x -> x %s d;\n", pick("+ - * ^")
	print "            return f.applyAsLong(a + b + c);\n        }"
}

function class(id,    i) {
	printf "    static class C%d<T extends Comparable<T>> {\n", id
	print "        private final java.util.List<T> items = new java.util.ArrayList<>();"
	print "        T greatest() { return items.stream().max(java.util.Comparator.naturalOrder()).orElse(null); }"
	for (i = 0; i < 12; i++)
		method(i)
	print "    }"
}

BEGIN {
	print "public class Generated {"
	for (i = 0; i < 40; i++)
		class(i)
	print "}"
}
