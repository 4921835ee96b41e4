# objdump.awk - derives the decoder's expected results from `objdump -d -w`. Writes a line for every instruction to each
# of two files: `bytes` ADDRESS BYTE… (the input of decode_text), `expected` ADDRESS LENGTH FLOW TARGET REAL TEXT (its
# expected output, and why). Leaves out, and counts on stdout, (bad), lone prefixes, and fwait, which objdump takes for
# a prefix. The numbers are those of collect/x86/x86.h; the types follow from the mnemonics.
BEGIN { FS = "\t" }

function flow(name, operands) {
    if (name ~ /^l?jmp/) return (operands ~ /\*/ || name ~ /^l/) ? 3 : 1
    if (name ~ /^l?call/) return (operands ~ /\*/ || name ~ /^l/) ? 5 : 4
    if (name ~ /^(j[a-z]+|loop.*|xbegin)$/) return 2
    if (name ~ /^(l?ret|iret|sysret|sysexit)[wlq]?$/) return 6
    if (name ~ /^(hlt|ud[012].*)$/) return 7
    return 0
}

# A scalar or vector type at the end of a mnemonic; x, y and z tell the size of a vector in memory.
function suffix(name) {
    if (name ~ /[ps]s[xyz]?$/ || name ~ /f32x[248]$/) return 4
    if (name ~ /[ps]d[xyz]?$/ || name ~ /f64x[24]$/) return 8
    return 0
}

function source(name) {
    if (name ~ /^vcvtps2ph$/ || name ~ /cvtt?[ps]h/) return 2
    if (name ~ /cvtt?(ne2?)?[ps]s/) return 4
    if (name ~ /cvtt?[ps]d/) return 8
    return 0
}

function x87(name) {
    if (name !~ /^f(ld|stp?|add|mul|comp?|subr?|divr?)[slt]$/) return 0
    return name ~ /s$/ ? 4 : name ~ /l$/ ? 8 : 10
}

function real(name, operands,   plain) {
    if (operands !~ /\(/ && operands !~ /(^|[,:])(-?0x)?[0-9a-f]+($|,)/ && operands !~ /%[c-gs]s:/) return 0
    if (name ~ /^f/) return x87(name)
    plain = name
    sub(/^v/, "", plain)
    if (plain ~ /^mov[alhu]ps$/ || plain ~ /^(insertf|extractf|broadcastf|perm2f)128$/) return 255
    if (plain ~ /^mov[lshd]+dup$/) return plain ~ /dd/ ? 8 : 4
    if (plain ~ /^cvt/) return source(name)
    if (name ~ /^v/ && name !~ /^vp/ && name ~ /[ps]h[xyz]?$/) return 2
    if (plain ~ /^p/ && plain !~ /^perm(il|i2|t2)?p[sd]$/) return 0
    if (name ~ /^(lss|wrssd|wrussd|rdsspd)$/ || name ~ /pf[01][dq]p[sd]$/) return 0
    return suffix(plain)
}

$1 !~ /^ *[0-9a-f]+:$/ || NF < 2 { next }
{
    text = $3
    sub(/ *[#<].*/, "", text)
    while (text ~ /^(\{[a-z0-9]+\}|bnd|notrack|rep[nz]*|lock|data16|addr32|[cdefgs]s|rex[.WRXB]*|xacquire|xrelease) /)
        sub(/^[^ ]+ +/, "", text)
    name = text
    sub(/ .*/, "", name)
    sub(/,p[nt]$/, "", name)
    operands = ""
    if (text ~ / /) { operands = text; sub(/^[^ ]+ +/, "", operands) }
    address = $1
    gsub(/[ :]/, "", address)
    bytes = $2
    sub(/ +$/, "", bytes)
    length_of = split(bytes, parts, " ")
    if (text ~ /\(bad\)/ || name == "" || name ~ /^(bnd|notrack|rep[nz]*|lock|data16|addr32|[cdefgs]s|rex[.WRXB]*)$/ ||
        (bytes ~ /^9b / && length_of > 1)) { left_out++; next }
    kind = flow(name, operands)
    target = kind == 1 || kind == 2 || kind == 4 ? operands : "-"
    sub(/^0x/, "", target)
    print address, bytes > "bytes"
    print address, length_of, kind, target, real(name, operands), $3 > "expected"
}
END { print left_out + 0 }
