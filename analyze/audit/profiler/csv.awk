# csv(LINE): puts the fields of a line of CSV into field[1..], without quotes, and returns their number.
function csv(line,   n, text) {
    for (n = 1; ; n++) {
        if (substr(line, 1, 1) == "\"") {
            match(line, /^"([^"]|"")*"/)
            text = substr(line, 2, RLENGTH - 2)
            gsub(/""/, "\"", text)
            line = substr(line, RLENGTH + 1)
        } else {
            match(line, /^[^,]*/)
            text = substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 1)
        }
        field[n] = text
        if (line == "") return n
        line = substr(line, 2)
    }
}
