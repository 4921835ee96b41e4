#!/bin/sh
# The exact tool's decoder compared with binutils: every instruction of real programs and libraries, and every form of
# floating-point access that `as` knows (objdump.awk derives operand types from mnemonics).
. "$(dirname "$0")/../tap.sh"
command -v objdump >/dev/null || skip_all 'there is no objdump here'
[ "$(uname -m)" = x86_64 ] || skip_all 'the decoder is for x86-64'
needs tests/x86/decode_text
scratch

# compare NAME FILE LEAST: all instructions of FILE, which must be at least LEAST
compare() {
    LC_ALL=C objdump -d -w "$2" >text && left_out=$(awk -f "$root/tests/x86/objdump.awk" text) &&
        "$build/tests/x86/decode_text" <bytes >seen || exit 1
    [ "$(wc -l <expected)" -ge "$3" ]
    ok $? "$1 has at least $3 instructions" || echo "# there are only $(wc -l <expected)"
    [ "$left_out" -le $((($3 + 999) / 1000)) ]
    ok $? '  of which objdump knows nearly all' || echo "# but not $left_out"
    for what in '2 length' '3 flow' '4 target' '5 type'; do
        paste -d ' ' seen expected | awk -v field="${what% *}" '$field != $(field + 5) || $1 != $6' >differ
        [ ! -s differ ]
        ok $? "  the decoder's ${what#* } is objdump's" || {
            echo "# $(wc -l <differ) differ:"
            head -n 20 differ | sed 's/^/# /'
        }
    done
}

# forms OPERANDS MNEMONIC…: prints each mnemonic with the operands
forms() {
    operands=$1
    shift
    for name in "$@"; do
        echo "$name $operands"
    done
}

# library REGEXP: the path of a shared library
library() {
    PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null | sed -n "s/^[[:space:]]*$1 (libc6,x86-64.*=> //p" | head -n 1
}

# four, two, scalar STEM…: mnemonics of all types, of vectors, of scalars
four() {
    for stem in "$@"; do
        echo "${stem}ps ${stem}pd ${stem}ss ${stem}sd"
    done
}
two() {
    for stem in "$@"; do
        echo "${stem}ps ${stem}pd"
    done
}
scalar() {
    for stem in "$@"; do
        echo "${stem}ss ${stem}sd"
    done
}

moves='movups movupd movaps movapd'
halves='movlps movlpd movhps movhpd'
unary="$(four sqrt) rsqrtps rsqrtss rcpps rcpss movsldup movshdup movddup $(scalar ucomi comi)
    cvtps2pd cvtpd2ps cvtss2sd cvtsd2ss cvtdq2ps cvtps2dq cvttps2dq cvtpd2dq cvttpd2dq cvtdq2pd"
binary="$(four add mul sub min div max) $(two and andn or xor unpckl unpckh hadd hsub addsub)"
fma=$(for order in 132 213 231; do
    four "vfmadd$order" "vfmsub$order" "vfnmadd$order" "vfnmsub$order"
    two "vfmaddsub$order" "vfmsubadd$order"
done | sed -E 's/(v[a-z]+)(132|213|231)/\1\2/g')

v() {
    for name in "$@"; do
        echo "v$name"
    done
}

# shellcheck disable=SC2016,SC2046,SC2086
{
    forms '(%rdi), %xmm1' $moves $halves movss movsd $unary $binary movdqa movdqu movq
    forms '%xmm1, 8(%rdi)' $moves $halves movss movsd movntps movntpd movntdq movq
    forms '(%rdi), %eax' cvtss2si cvtsd2si cvttss2si cvttsd2si
    forms '(%rdi), %xmm1' cvtsi2sdl cvtsi2sdq cvtsi2ssl cvtsi2ssq cvtpi2ps cvtpi2pd
    forms '(%rdi), %mm1' cvtps2pi cvttps2pi cvtpd2pi cvttpd2pi
    forms '$1, (%rdi), %xmm1' $(four cmp round) $(two shuf blend dp) insertps pshufd palignr
    forms '$1, %xmm1, (%rdi)' extractps pextrd
    forms '(%rdi), %xmm1' $(two blendv) pblendvb
    forms '(%rdi)' flds fldl fldt fsts fstl fstps fstpl fstpt fadds faddl fmuls fmull fcoms fcoml fcomps fcompl \
        fsubs fsubl fsubrs fsubrl fdivs fdivl fdivrs fdivrl filds fildl fildll fists fistl fistps fistpl fistpll \
        fisttps fisttpl fisttpll fiadds fiaddl fimuls fimull ficoms ficompl fisubs fisubrl fidivs fidivrl \
        fbld fbstp fldcw fnstcw fldenv fnstenv frstor fnsave fnstsw fxsave

    forms '(%rdi), %xmm1' $(v $moves movss movsd movsldup movddup sqrtps sqrtpd rsqrtps rcpps $(scalar ucomi comi)) \
        $(v cvtps2pd cvtdq2ps cvtps2dq cvttps2dq cvtdq2pd cvtph2ps broadcastss testps testpd) vcvtpd2psx vcvtpd2dqx
    forms '(%rdi), %ymm1' $(v $moves cvtpd2psy) vbroadcastss vbroadcastsd vbroadcastf128 vbroadcasti128 vcvtph2ps |
        grep -v psy
    forms '%ymm1, (%rdi)' $(v $moves movntps movntpd movdqu)
    forms '(%rdi), %xmm2, %xmm1' $(v $halves $binary) $(scalar vsqrt) vrsqrtss vrcpss vcvtss2sd vcvtsd2ss vcvtsi2sdl \
        vpermilps vpermilpd vmaskmovps vmaskmovpd vpmaskmovd vpaddd $fma
    forms '(%rdi), %ymm2, %ymm1' $(v $(two add and unpckl)) vpermps vpermd
    forms '%ymm1, %ymm2, (%rdi)' vmaskmovps vmaskmovpd vpmaskmovq
    forms '$1, (%rdi), %xmm2, %xmm1' $(v $(four cmp) $(scalar round) $(two shuf blend dp) insertps) vpblendw
    forms '$1, (%rdi), %ymm1' $(v $(two round permil)) vpermpd vpermq
    forms '$1, (%rdi), %ymm2, %ymm1' vinsertf128 vinserti128 vperm2f128 vperm2i128
    forms '$1, %ymm1, (%rdi)' vextractf128 vextracti128 vcvtps2ph
    forms '%xmm3, (%rdi), %xmm2, %xmm1' $(two vblendv) vpblendvb
    forms '(%rdi), %xmm1, %xmm2, %xmm3' $(four vfmadd vfmsub vfnmadd vfnmsub) $(two vfmaddsub vfmsubadd)
    forms '%xmm1, (%rdi), %xmm2, %xmm3' $(four vfmadd)
    forms '%xmm1, (%rdi,%xmm2,4), %xmm3' vgatherdps vgatherdpd vgatherqps vgatherqpd vpgatherdd vpgatherqq

    forms '64(%rdi), %zmm17' $(v $moves $(two sqrt) rcp14ps rcp14pd rsqrt14ps rsqrt14pd getexpps getexppd) \
        $(v cvtps2pd cvtdq2ps cvtps2dq cvttps2dq cvtdq2pd cvtph2ps broadcastss broadcastsd expandps expandpd) \
        $(v cvtps2udq cvttps2udq cvtudq2ps cvtudq2pd cvtpd2qq cvttpd2qq cvtpd2uqq cvttpd2uqq cvtps2qq cvttps2qq) \
        $(v cvtps2uqq cvttps2uqq cvtqq2pd cvtuqq2pd broadcastf32x2 broadcastf32x4 broadcastf64x2 broadcastf32x8) \
        $(v broadcastf64x4 broadcasti32x4 movdqu32 movdqa64 permpd) | grep -v permpd
    forms '64(%rdi), %ymm17' vcvtpd2ps vcvtpd2dq vcvttpd2dq vcvtpd2udq vcvttpd2udq vcvtqq2ps | sed 's/,/{1to8},/'
    forms '%zmm17, 64(%rdi)' $(v $moves movntps movntpd compressps compresspd movdqu64)
    forms '%zmm17, (%rdi){%k1}' $(v $moves compressps)
    forms '(%rdi), %zmm18, %zmm17' $(v $(two add mul sub min div max and andn or xor unpckl unpckh)) \
        $(two vscalef vblendm vpermi2 vpermt2 vperm vpermil) vpermi2d vpermd vpaddd vprorvd vprolvq \
        $(echo $fma | tr ' ' '\n' | grep -v 's[sd]$') vpmadd52luq
    forms '(%rdi), %xmm18, %xmm17' $(v $(scalar add mul sub min div max sqrt scalef getexp rcp14 rsqrt14)) \
        $(echo $fma | tr ' ' '\n' | grep 's[sd]$') $(v cvtss2sd cvtsd2ss cvtsi2sdl cvtusi2sdl cvtusi2ssq $halves)
    forms '(%rdi), %xmm17' vmovss vmovsd $(scalar vucomi vcomi) vmovsldup vmovddup vmovq
    forms '%xmm17, (%rdi)' vmovss vmovsd vmovlps vmovhpd
    forms '(%rdi), %r8' vcvtss2usi vcvtsd2usi vcvttss2usi vcvttsd2usi
    forms '$1, (%rdi), %zmm18, %zmm17' $(two vshuf vrange vfixupimm) vshuff32x4 vshuff64x2 vshufi32x4 vpternlogd
    forms '$1, (%rdi), %zmm18, %zmm17' vinsertf32x4 vinsertf64x2 vinsertf32x8 vinsertf64x4 vinserti32x4
    forms '$1, %zmm17, (%rdi)' vextractf32x4 vextractf64x2 vextractf32x8 vextractf64x4 vextracti64x4 vcvtps2ph
    forms '$1, (%rdi), %zmm17' $(two vrndscale vgetmant vreduce vpermil) vpermq vpermpd
    forms '$1, (%rdi), %xmm18, %xmm17' $(scalar vrndscale vgetmant vreduce vrange vfixupimm)
    forms '$1, (%rdi), %zmm18, %k1' $(two vcmp) vpcmpd
    forms '$1, (%rdi), %xmm18, %k1' $(scalar vcmp)
    forms '$1, (%rdi), %k1' vfpclasspsz vfpclasspdz vfpclassss vfpclasssd
    forms '(%rdi,%zmm18,4), %zmm17{%k1}' vgatherdps vgatherqpd vpgatherdd
    forms '%zmm17, (%rdi,%zmm18,4){%k1}' vscatterdps vscatterqpd vpscatterdd
    forms '(%rdi), %ymm17' vcvtneps2bf16
    forms '(%rdi), %zmm18, %zmm17' vcvtne2ps2bf16

    forms '(%rdi), %zmm18, %zmm17' vaddph vmulph vfmadd132ph vfnmsub231ph vfmaddcph vscalefph
    forms '(%rdi), %xmm18, %xmm17' vaddsh vsqrtsh vfmadd213sh vfmulcsh vcvtsh2ss vcvtsh2sd vcvtss2sh vcvtsd2sh vcvtsi2shl
    forms '(%rdi), %zmm17' vsqrtph vrcpph vcvtph2pd vcvtph2psx vcvtph2dq vcvttph2uqq vcvtph2w vcvttph2uw vcvtw2ph
    forms '(%rdi), %ymm17' vcvtps2phx vcvtdq2ph | sed 's/,/{1to16},/'
    forms '(%rdi), %xmm17' vmovsh vmovw vucomish
    forms '$1, (%rdi), %zmm17' vrndscaleph vgetmantph vreduceph
    forms '$1, (%rdi), %zmm18, %k1' vcmpph
} >forms.s
as -o forms.o forms.s >err 2>&1
ok $? 'as assembles every form' || sed 's,^,# ,' err
compare 'forms' forms.o 600

compare 'xz' "$(command -v xz)" 5000
compare 'libc' "$(library 'libc\.so\.6')" 100000
compare 'libm' "$(library 'libm\.so\.6')" 50000
if [ -x /usr/bin/python3 ]; then
    compare 'python3' /usr/bin/python3 300000
else
    skip 'there is no python3 here'
fi
done_testing
