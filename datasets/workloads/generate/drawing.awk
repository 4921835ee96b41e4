# An SVG drawing without text: gradients, curves, clipped and blurred groups.
function colour() {
	return sprintf("#%02x%02x%02x", below(256), below(256), below(256))
}

function gradient(id) {
	printf "<linearGradient id=\"g%d\" x1=\"0\" y1=\"0\" x2=\"1\" y2=\"1\">", id
	printf "<stop offset=\"0\" stop-color=\"%s\"/><stop offset=\"1\" stop-color=\"%s\"/></linearGradient>\n", colour(), colour()
}

function curve(    i) {
	printf "<path fill=\"url(#g%d)\" fill-opacity=\"0.6\" stroke=\"%s\" stroke-width=\"%d\" d=\"M%d %d", below(16), colour(), 1 + below(4), below(800), below(600)
	for (i = 1; i <= 6; i++)
		printf " C%d %d %d %d %d %d", below(800), below(600), below(800), below(600), below(800), below(600)
	print "Z\"/>"
}

function shapes(    i) {
	printf "<g transform=\"rotate(%d 400 300)\" clip-path=\"url(#disc)\">\n", below(360)
	for (i = 1; i <= 6; i++)
		printf "<ellipse cx=\"%d\" cy=\"%d\" rx=\"%d\" ry=\"%d\" fill=\"%s\" opacity=\"0.5\"/>\n", below(800), below(600), 10 + below(90), 10 + below(90), colour()
	print "</g>"
}

BEGIN {
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"600\" viewBox=\"0 0 800 600\">\n<defs>"
	for (i = 0; i < 16; i++)
		gradient(i)
	print "<clipPath id=\"disc\"><circle cx=\"400\" cy=\"300\" r=\"280\"/></clipPath>"
	print "<filter id=\"blur\"><feGaussianBlur stdDeviation=\"3\"/></filter>\n</defs>"
	for (i = 0; i < 20; i++) {
		curve()
		shapes()
	}
	print "<g filter=\"url(#blur)\">"
	for (i = 0; i < 4; i++)
		curve()
	print "</g>\n</svg>"
}
