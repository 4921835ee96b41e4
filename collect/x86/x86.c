#include "collect/x86/x86.h"

#include "collect/x86/x86_parse.h"

/* Immediates whose width depends: up to 8, the width itself. */
enum immediate {
    IMM_WORD = 16, /* 2 after 66, else 4 */
    IMM_FULL,      /* the same, 8 with REX.W */
    IMM_ADDRESS,   /* 8, 4 after 67 */
    IMM_TEST,      /* 1 for ModRM.reg 0 and 1 */
    IMM_TEST_WORD, /* IMM_WORD for ModRM.reg 0 and 1 */
    IMM_EXTRACT    /* two of 1 in SSE4a, else none */
};
enum { FLOW_FF = 16, FLOW_C7 }; /* group FF: call and jump by ModRM.reg; group C7: xbegin */

/* What follows an opcode, and its control flow, by letter. */
static const struct format {
    bool known, modrm;
    uint8_t immediate; /* bytes, or enum immediate */
    uint8_t flow;      /* enum x86_flow, or FLOW_ */
} formats[128] = {
    ['.'] = {true, false, 0, X86_ON},
    ['b'] = {true, false, 1, X86_ON},
    ['w'] = {true, false, 3, X86_ON}, /* enter */
    ['z'] = {true, false, IMM_WORD, X86_ON},
    ['v'] = {true, false, IMM_FULL, X86_ON},
    ['o'] = {true, false, IMM_ADDRESS, X86_ON},
    ['m'] = {true, true, 0, X86_ON},
    ['B'] = {true, true, 1, X86_ON},
    ['Z'] = {true, true, IMM_WORD, X86_ON},
    ['t'] = {true, true, IMM_TEST, X86_ON},
    ['T'] = {true, true, IMM_TEST_WORD, X86_ON},
    ['E'] = {true, true, IMM_EXTRACT, X86_ON},
    ['X'] = {true, true, IMM_WORD, FLOW_C7},
    ['i'] = {true, true, 0, FLOW_FF},
    ['j'] = {true, false, 1, X86_JUMP},
    ['J'] = {true, false, 4, X86_JUMP},
    ['c'] = {true, false, 1, X86_BRANCH},
    ['C'] = {true, false, 4, X86_BRANCH},
    ['k'] = {true, false, 4, X86_CALL},
    ['r'] = {true, false, 0, X86_RETURN},
    ['R'] = {true, false, 2, X86_RETURN},
    ['s'] = {true, false, 0, X86_STOP},
    ['S'] = {true, true, 0, X86_STOP},
};
static const char one_byte[16][17] = {
    "mmmmbz--mmmmbz--", "mmmmbz--mmmmbz--", "mmmmbz--mmmmbz--", "mmmmbz--mmmmbz--", /* 00 … 30 */
    "----------------", "................", "---m----zZbB....", "cccccccccccccccc", /* 40 … 70 */
    "BZ-Bmmmmmmmmmmmm", "..........-.....", "oooo....bz......", "bbbbbbbbvvvvvvvv", /* 80 … B0 */
    "BBRr--BXw.Rr.b-r", "mmmm---.mmmmmmmm", "ccccbbbbkJ-j....", "-.--s.tT......mi", /* C0 … F0 */
};
static const char two_byte[16][17] = {
    "mmmm-..r..-s-m.B", "mmmmmmmmmmmmmmmm", "mmmm----mmmmmmmm", ".....r-.--------", /* 00 … 30 */
    "mmmmmmmmmmmmmmmm", "mmmmmmmmmmmmmmmm", "mmmmmmmmmmmmmmmm", "BBBBmmm.Em--mmmm", /* 40 … 70 */
    "CCCCCCCCCCCCCCCC", "mmmmmmmmmmmmmmmm", "...mBm--...mBmmm", "mmmmmmmmmSBmmmmm", /* 80 … B0 */
    "mmBmBBBm........", "mmmmmmmmmmmmmmmm", "mmmmmmmmmmmmmmmm", "mmmmmmmmmmmmmmmS", /* C0 … F0 */
};

/* Beyond the end there are zeros; x86_decode checks the length at the end. */
static uint8_t x86_peek(const struct x86_parse *p)
{
    return p->at < p->bytes ? p->code[p->at] : 0;
}

static uint8_t x86_next_byte(struct x86_parse *p)
{
    uint8_t byte = x86_peek(p);
    p->at++;
    return byte;
}

static void x86_parse_prefixes(struct x86_parse *p)
{
    for (;; p->at++) {
        uint8_t byte = x86_peek(p), rex = 0;
        if ((byte & 0xf0) == 0x40)
            rex = byte;
        else if (byte == 0x64 || byte == 0x65)
            p->segment = byte;
        else if (byte == 0x66)
            p->operand16 = true;
        else if (byte == 0x67)
            p->address32 = true;
        else if (byte == 0xf2 || byte == 0xf3)
            p->repeat = byte;
        else if (byte == 0xf0)
            p->lock = true;
        else if ((byte & 0xe7) != 0x26) /* 26 2E 36 3E */
            return;
        p->rex = rex;
    }
}

/* VEX, EVEX and XOP after their first byte, and the opcode. */
static bool x86_parse_vector(struct x86_parse *p, uint8_t first)
{
    unsigned maps = first == 0x62 ? 0x6e : first == 0x8f ? 0x700 : 0xe;
    bool evex = first == 0x62, brief = first == 0xc5;
    bool plain = !p->operand16 && !p->repeat && !p->lock && !p->rex;
    uint8_t one = x86_next_byte(p), two = brief ? one & 0x7f : x86_next_byte(p);
    uint8_t three = evex ? x86_next_byte(p) : 0;
    /* Inverted, as in REX; of the short form R alone. */
    p->rex = (uint8_t)((brief ? (~one & 0x80) : (~one & 0xe0)) >> 5 | (!brief && two & 0x80 ? 8 : 0));
    p->length = evex ? three >> 5 & 3 : (brief ? one : two) >> 2 & 1;
    p->masked = three & 0x17;
    uint8_t map = brief ? MAP_0F : one & (evex ? 7 : 0x1f);
    p->form = (struct x86_form){evex ? EVEX : VEX, map, x86_next_byte(p), two & 3, 0, two & 0x80};
    if (evex && ((one & 8) || !(two & 4)))
        return false;
    return (maps >> map & 1) && plain;
}

static bool x86_parse_opcode(struct x86_parse *p)
{
    uint8_t byte = x86_next_byte(p), map = ONE_BYTE;
    if (byte == 0xc4 || byte == 0xc5 || byte == 0x62 || (byte == 0x8f && (x86_peek(p) & 0x1f) >= MAP_XOP8))
        return x86_parse_vector(p, byte);
    if (byte == 0x0f) {
        byte = x86_next_byte(p);
        map = byte == 0x38 ? MAP_0F38 : byte == 0x3a ? MAP_0F3A : MAP_0F;
        if (map != MAP_0F)
            byte = x86_next_byte(p);
    }
    uint8_t prefix = p->repeat == 0xf3 ? 2 : p->repeat == 0xf2 ? 3 : p->operand16;
    p->form = (struct x86_form){LEGACY, map, byte, prefix, 0, p->rex & 8};
    return true;
}

/* The maps without tables: always ModRM, and the same immediate for all. */
static char x86_form_letter(const struct x86_form *form)
{
    char letter = two_byte[form->opcode >> 4][form->opcode & 15];
    switch (form->map) {
    case ONE_BYTE:
        return one_byte[form->opcode >> 4][form->opcode & 15];
    case MAP_0F:
        if (form->space == LEGACY)
            return letter;
        return form->opcode == 0x77 ? '.' : letter == 'B' ? 'B' : 'm'; /* 77: vzeroupper */
    case MAP_0F3A:
    case MAP_XOP8:
        return 'B';
    case MAP_XOP8 + 2:
        return 'Z';
    default:
        return 'm';
    }
}

static unsigned x86_immediate_bytes(const struct x86_parse *p, unsigned immediate)
{
    unsigned word = p->operand16 && !p->form.wide ? 2 : 4;
    switch (immediate) {
    case IMM_WORD:
        return word;
    case IMM_FULL:
        return p->form.wide ? 8 : word;
    case IMM_ADDRESS:
        return p->address32 ? 4 : 8;
    case IMM_TEST:
        return p->form.reg < 2 ? 1 : 0;
    case IMM_TEST_WORD:
        return p->form.reg < 2 ? word : 0;
    case IMM_EXTRACT:
        return p->form.prefix == 1 || p->form.prefix == 3 ? 2 : 0;
    default:
        return immediate;
    }
}

unsigned x86_parse(const uint8_t *code, size_t bytes, struct x86_parse *out)
{
    struct x86_parse p = {.code = code, .bytes = bytes < X86_LENGTH_MAX ? bytes : X86_LENGTH_MAX, .modrm = 0xc0};
    x86_parse_prefixes(&p);
    if (!x86_parse_opcode(&p))
        return 0;
    const struct format *format = &formats[(unsigned)x86_form_letter(&p.form)];
    if (!format->known)
        return 0;
    if (format->modrm) {
        /* With SIB and displacement. */
        p.modrm_at = (uint8_t)p.at;
        p.modrm = x86_next_byte(&p);
        p.form.reg = p.modrm >> 3 & 7;
        unsigned mod = p.modrm >> 6, base = p.modrm & 7;
        if (mod != 3 && base == 4)
            base = x86_next_byte(&p) & 7;
        if (mod == 1)
            p.at += 1;
        else if (mod == 2 || (mod == 0 && base == 5))
            p.at += 4;
    }
    p.immediate = (uint8_t)x86_immediate_bytes(&p, format->immediate);
    p.at += p.immediate;
    if (p.at > p.bytes)
        return 0;
    p.flow = format->flow;
    if (format->flow == FLOW_C7)
        p.flow = p.modrm == 0xf8 ? X86_BRANCH : X86_ON;
    if (format->flow == FLOW_FF) { /* inc dec, call, jmp, push */
        unsigned pair = p.form.reg >> 1;
        p.flow = pair == 1 ? X86_CALL_INDIRECT : pair == 2 ? X86_JUMP_INDIRECT : X86_ON;
    }
    *out = p;
    return (unsigned)p.at;
}

unsigned x86_decode(const uint8_t *code, size_t bytes, uint64_t address, struct x86_instruction *out)
{
    struct x86_parse p;
    if (!x86_parse(code, bytes, &p))
        return 0;
    bool direct = p.flow == X86_JUMP || p.flow == X86_BRANCH || p.flow == X86_CALL;
    out->length = (uint8_t)p.at;
    out->flow = p.flow;
    out->real = p.modrm < 0xc0 ? (uint8_t)x86_real_of(&p.form) : X86_REAL_NONE;
    out->target = 0;
    if (direct) /* the displacement is in the last bytes */
        out->target = address + p.at + (uint64_t)x86_read_signed(code + p.at - p.immediate, p.immediate);
    return out->length;
}

bool x86_may_step(const uint8_t *code, unsigned length)
{
    enum {
        PUSHF = 0x9c,
        POPF = 0x9d,
        INT3 = 0xcc,
        IRET = 0xcf,
        INT1 = 0xf1,
        TWO_BYTES = 0x0f,
        SYSCALL = 5,
        SYSENTER = 0x34
    };
    unsigned at = 0;
    while (at + 1 < length && (code[at] == 0x66 || (code[at] & 0xf0) == 0x40 || code[at] == 0xf2 || code[at] == 0xf3))
        at++;
    uint8_t opcode = code[at];
    bool system = opcode == TWO_BYTES && at + 1 < length && (code[at + 1] == SYSCALL || code[at + 1] == SYSENTER);
    return opcode != PUSHF && opcode != POPF && (opcode < INT3 || opcode > IRET) && opcode != INT1 && !system;
}
