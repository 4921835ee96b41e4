#include "collect/x86/x86_parse.h"

#include <stddef.h>

/* Types: h s d x half … extended, u untyped, . none; float or double by the W bit (w), by the opcode's lowest bit (o).
 */
static const char x87[8][9] = {/* D8 … DF, by ModRM.reg */
                               "ssssssss", "s.ss....", "........", ".....x.x",
                               "dddddddd", "d.dd....", "........", "........"};

enum { VECTOR = VEX | EVEX, ANY = LEGACY | VECTOR };

/* By map; the first row that fits counts. The types are by mandatory prefix: none, 66, F3, F2. */
static const struct row {
    uint8_t map, space, first, last;
    char type[5];
} rows[] = {
    {1, ANY, 0x10, 0x12, "udsd"},    /* movups movupd movss movsd, movlps movlpd movsldup movddup */
    {1, ANY, 0x13, 0x13, "ud.."},    /* movlps movlpd, stores */
    {1, ANY, 0x14, 0x15, "sd.."},    /* unpcklps unpckhps */
    {1, ANY, 0x16, 0x17, "uds."},    /* movhps movhpd movshdup */
    {1, ANY, 0x28, 0x29, "ud.."},    /* movaps movapd */
    {1, ANY, 0x2b, 0x2d, "sdsd"},    /* movntps, cvttps2pi cvtps2pi cvttss2si */
    {1, ANY, 0x2e, 0x2f, "sd.."},    /* ucomiss comiss */
    {1, ANY, 0x51, 0x5a, "sdsd"},    /* sqrt rsqrt rcp and andn or xor add mul, cvtps2pd cvtpd2ps cvtss2sd cvtsd2ss */
    {1, ANY, 0x5b, 0x5b, ".ss."},    /* cvtdq2ps cvtps2dq cvttps2dq */
    {1, ANY, 0x5c, 0x5f, "sdsd"},    /* sub min div max */
    {1, EVEX, 0x78, 0x79, "wwsd"},   /* vcvttps2udq vcvttps2uqq vcvttss2usi vcvttsd2usi */
    {1, EVEX, 0x7a, 0x7b, ".w.."},   /* vcvttps2qq vcvtps2qq */
    {1, ANY, 0x7c, 0x7d, ".d.s"},    /* haddpd haddps hsubpd hsubps */
    {1, ANY, 0xc2, 0xc2, "sdsd"},    /* cmpps */
    {1, ANY, 0xc6, 0xc6, "sd.."},    /* shufps */
    {1, ANY, 0xd0, 0xd0, ".d.s"},    /* addsubpd addsubps */
    {1, ANY, 0xe6, 0xe6, ".d.d"},    /* cvttpd2dq cvtdq2pd cvtpd2dq */
    {2, VECTOR, 0x0c, 0x0d, ".o.."}, /* vpermilps */
    {2, VEX, 0x0e, 0x0f, ".o.."},    /* vtestps */
    {2, VECTOR, 0x13, 0x13, ".h.."}, /* vcvtph2ps */
    {2, LEGACY, 0x14, 0x15, ".o.."}, /* blendvps */
    {2, VECTOR, 0x16, 0x16, ".w.."}, /* vpermps vpermpd */
    {2, VECTOR, 0x18, 0x18, ".s.."}, /* vbroadcastss */
    {2, VEX, 0x19, 0x19, ".d.."},    /* vbroadcastsd */
    {2, EVEX, 0x19, 0x19, ".w.."},   /* vbroadcastf32x2 vbroadcastsd */
    {2, VEX, 0x1a, 0x1a, ".u.."},    /* vbroadcastf128 */
    {2, EVEX, 0x1a, 0x1b, ".w.."},   /* vbroadcastf32x4 vbroadcastf64x2, 32x8 64x4 */
    {2, EVEX, 0x2c, 0x2d, ".w.."},   /* vscalefps vscalefss */
    {2, VEX, 0x2c, 0x2f, ".o.."},    /* vmaskmovps, load and store */
    {2, EVEX, 0x42, 0x43, ".w.."},   /* vgetexpps vgetexpss */
    {2, EVEX, 0x4c, 0x4f, ".w.."},   /* vrcp14ps vrsqrt14ps */
    {2, EVEX, 0x65, 0x65, ".w.."},   /* vblendmps */
    {2, VECTOR, 0x72, 0x72, "..ss"}, /* vcvtneps2bf16 vcvtne2ps2bf16 */
    {2, EVEX, 0x77, 0x77, ".w.."},   /* vpermi2ps */
    {2, EVEX, 0x7f, 0x7f, ".w.."},   /* vpermt2ps */
    {2, EVEX, 0x88, 0x88, ".w.."},   /* vexpandps */
    {2, EVEX, 0x8a, 0x8a, ".w.."},   /* vcompressps */
    {2, VECTOR, 0x92, 0x93, ".w.."}, /* vgatherdps vgatherqps */
    {2, VECTOR, 0x96, 0x9f, ".w.w"}, /* fused multiply and add; F2: four of them */
    {2, EVEX, 0xa2, 0xa3, ".w.."},   /* vscatterdps vscatterqps */
    {2, VECTOR, 0xa6, 0xaf, ".w.w"}, /* fused multiply and add */
    {2, VECTOR, 0xb6, 0xbf, ".w.."}, /* fused multiply and add */
    {2, EVEX, 0xc8, 0xcd, ".w.."},   /* vexp2ps vrcp28ps vrsqrt28ps */
    {3, VECTOR, 0x01, 0x01, ".d.."}, /* vpermpd */
    {3, VECTOR, 0x04, 0x05, ".o.."}, /* vpermilps */
    {3, VEX, 0x06, 0x06, ".u.."},    /* vperm2f128 */
    {3, ANY, 0x08, 0x08, "hs.."},    /* vrndscaleph roundps */
    {3, ANY, 0x09, 0x09, ".d.."},    /* roundpd */
    {3, ANY, 0x0a, 0x0a, "hs.."},    /* vrndscalesh roundss */
    {3, ANY, 0x0b, 0x0b, ".d.."},    /* roundsd */
    {3, ANY, 0x0c, 0x0d, ".o.."},    /* blendps */
    {3, ANY, 0x17, 0x17, ".s.."},    /* extractps */
    {3, VEX, 0x18, 0x19, ".u.."},    /* vinsertf128 vextractf128 */
    {3, EVEX, 0x18, 0x1b, ".w.."},   /* vinsertf32x4 vextractf32x4, 32x8 */
    {3, VECTOR, 0x1d, 0x1d, ".h.."}, /* vcvtps2ph */
    {3, ANY, 0x21, 0x21, ".s.."},    /* insertps */
    {3, EVEX, 0x23, 0x23, ".w.."},   /* vshuff32x4 */
    {3, EVEX, 0x26, 0x27, "hw.."},   /* vgetmantps */
    {3, ANY, 0x40, 0x41, ".o.."},    /* dpps */
    {3, VEX, 0x4a, 0x4b, ".o.."},    /* vblendvps */
    {3, EVEX, 0x50, 0x51, ".w.."},   /* vrangeps */
    {3, EVEX, 0x54, 0x55, ".w.."},   /* vfixupimmps */
    {3, EVEX, 0x56, 0x57, "hw.."},   /* vreduceps */
    {3, VEX, 0x5c, 0x5f, ".o.."},    /* FMA4: vfmaddsubps vfmsubaddps */
    {3, EVEX, 0x66, 0x67, "hw.."},   /* vfpclassps */
    {3, VEX, 0x68, 0x6f, ".o.."},    /* FMA4: vfmaddps vfmaddss vfmsubps vfmsubss */
    {3, VEX, 0x78, 0x7f, ".o.."},    /* FMA4: vfnmaddps vfnmsubps */
    {3, EVEX, 0xc2, 0xc2, "h.h."},   /* vcmpph vcmpsh */
    {5, EVEX, 0x1d, 0x1d, "ss.."},   /* vcvtss2sh vcvtps2phx */
    {5, EVEX, 0x2a, 0x2a, "...."},   /* vcvtsi2sh */
    {5, EVEX, 0x5a, 0x5a, "hdhd"},   /* vcvtph2pd vcvtpd2ph vcvtsh2sd vcvtsd2sh */
    {5, EVEX, 0x5b, 0x5b, ".hh."},   /* vcvtdq2ph vcvtph2dq vcvttph2dq */
    {5, EVEX, 0x6e, 0x6e, "...."},   /* vmovw */
    {5, EVEX, 0x7a, 0x7b, ".h.."},   /* vcvttph2qq vcvtph2qq, and from integers */
    {5, EVEX, 0x7d, 0x7d, "hh.."},   /* vcvtph2uw vcvtph2w, and from integers */
    {5, EVEX, 0x7e, 0x7e, "...."},   /* vmovw, store */
    {5, EVEX, 0x10, 0x7c, "hhhh"},   /* FP16: moves, arithmetic, conversions */
    {6, EVEX, 0x13, 0xd7, "hhhh"},
};

static char x86_real_type(const struct x86_form *form)
{
    if (form->map == ONE_BYTE)
        return form->opcode >= 0xd8 && form->opcode <= 0xdf ? x87[form->opcode - 0xd8][form->reg] : '.';
    for (size_t i = 0; i < sizeof rows / sizeof *rows && rows[i].map <= form->map; i++) {
        const struct row *row = &rows[i];
        if (row->map == form->map && (row->space & form->space) && row->first <= form->opcode &&
            form->opcode <= row->last)
            return row->type[form->prefix];
    }
    return '.';
}

enum x86_real x86_real_of(const struct x86_form *form)
{
    switch (x86_real_type(form)) {
    case 'h':
        return X86_REAL_HALF;
    case 's':
        return X86_REAL_FLOAT;
    case 'd':
        return X86_REAL_DOUBLE;
    case 'w':
        return form->wide ? X86_REAL_DOUBLE : X86_REAL_FLOAT;
    case 'o':
        return form->opcode & 1 ? X86_REAL_DOUBLE : X86_REAL_FLOAT;
    case 'x':
        return X86_REAL_EXTENDED;
    case 'u':
        return X86_REAL_UNTYPED;
    default:
        return X86_REAL_NONE;
    }
}
