#include "collect/x86/x86_access.h"

#include "collect/x86/x86_parse.h"

/*
 * Sizes: b w d q o t 1 2 4 8 16 10 bytes; y 4, or 8 with W; v 2, 4 or 8; x the vector; h e f a half, a quarter, an
 * eighth of it; D 8, or the vector if that is longer than 16; Q 8, or 2. '-' no access, '?' not supported, '.' another
 * row.
 */
enum { LEGACY_VEX = LEGACY | VEX, ANY = LEGACY | VEX | EVEX };

/* By map and opcode; the first row that fits counts. The sizes are by mandatory prefix: none, 66, F3, F2. */
static const struct row {
    uint8_t map, space, first, last;
    char size[5], how; /* how: l load, s store, m both */
} rows[] = {
    {1, ANY, 0x0d, 0x0d, "----", 'l'},        {1, ANY, 0x10, 0x10, "xxdq", 'l'},
    {1, ANY, 0x11, 0x11, "xxdq", 's'},        {1, ANY, 0x12, 0x12, "qqxD", 'l'},
    {1, ANY, 0x13, 0x13, "qq..", 's'},        {1, ANY, 0x14, 0x15, "xx..", 'l'},
    {1, ANY, 0x16, 0x16, "qqx.", 'l'},        {1, ANY, 0x17, 0x17, "qq..", 's'},
    {1, LEGACY, 0x18, 0x1f, "----", 'l'},     {1, ANY, 0x28, 0x28, "xx..", 'l'},
    {1, ANY, 0x29, 0x29, "xx..", 's'},        {1, ANY, 0x2a, 0x2a, "qqyy", 'l'},
    {1, ANY, 0x2b, 0x2b, "xxdq", 's'},        {1, ANY, 0x2c, 0x2d, "qxdq", 'l'},
    {1, ANY, 0x2e, 0x2f, "dq..", 'l'},        {1, LEGACY, 0x40, 0x4f, "vvvv", 'l'},
    {1, ANY, 0x51, 0x51, "xxdq", 'l'},        {1, ANY, 0x52, 0x53, "x.d.", 'l'},
    {1, ANY, 0x54, 0x57, "xx..", 'l'},        {1, ANY, 0x58, 0x59, "xxdq", 'l'},
    {1, ANY, 0x5a, 0x5a, "hxdq", 'l'},        {1, ANY, 0x5b, 0x5b, "xxx.", 'l'},
    {1, ANY, 0x5c, 0x5f, "xxdq", 'l'},        {1, ANY, 0x60, 0x62, "dx..", 'l'},
    {1, ANY, 0x63, 0x6d, "qx..", 'l'},        {1, ANY, 0x6e, 0x6e, "yy..", 'l'},
    {1, ANY, 0x6f, 0x6f, "qxxx", 'l'},        {1, ANY, 0x70, 0x70, "qxxx", 'l'},
    {1, ANY, 0x74, 0x76, "qx..", 'l'},        {1, ANY, 0x7c, 0x7d, ".x.x", 'l'},
    {1, ANY, 0x7e, 0x7e, "yy..", 's'},        {1, ANY, 0x7e, 0x7e, "..q.", 'l'},
    {1, ANY, 0x7f, 0x7f, "qxxx", 's'},        {1, LEGACY, 0x90, 0x9f, "bbbb", 's'},
    {1, LEGACY, 0xa4, 0xa5, "vvvv", 'm'},     {1, LEGACY, 0xac, 0xad, "vvvv", 'm'},
    {1, LEGACY, 0xaf, 0xaf, "vvvv", 'l'},     {1, LEGACY, 0xb0, 0xb0, "bbbb", 'm'},
    {1, LEGACY, 0xb1, 0xb1, "vvvv", 'm'},     {1, LEGACY, 0xb6, 0xb6, "bbbb", 'l'},
    {1, LEGACY, 0xb7, 0xb7, "wwww", 'l'},     {1, LEGACY, 0xb8, 0xb8, "..v.", 'l'},
    {1, LEGACY, 0xbc, 0xbd, "vvvv", 'l'},     {1, LEGACY, 0xbe, 0xbe, "bbbb", 'l'},
    {1, LEGACY, 0xbf, 0xbf, "wwww", 'l'},     {1, LEGACY, 0xc0, 0xc0, "bbbb", 'm'},
    {1, LEGACY, 0xc1, 0xc1, "vvvv", 'm'},     {1, ANY, 0xc2, 0xc2, "xxdq", 'l'},
    {1, LEGACY, 0xc3, 0xc3, "y...", 's'},     {1, ANY, 0xc4, 0xc4, "ww..", 'l'},
    {1, ANY, 0xc6, 0xc6, "xx..", 'l'},        {1, ANY, 0xd0, 0xd0, ".x.x", 'l'},
    {1, ANY, 0xd1, 0xd3, "qo..", 'l'},        {1, ANY, 0xd4, 0xd5, "qx..", 'l'},
    {1, ANY, 0xd6, 0xd6, ".q..", 's'},        {1, ANY, 0xd8, 0xe0, "qx..", 'l'},
    {1, ANY, 0xe1, 0xe2, "qo..", 'l'},        {1, ANY, 0xe3, 0xe5, "qx..", 'l'},
    {1, ANY, 0xe6, 0xe6, ".xhx", 'l'},        {1, ANY, 0xe7, 0xe7, "qx..", 's'},
    {1, ANY, 0xe8, 0xef, "qx..", 'l'},        {1, ANY, 0xf0, 0xf0, "...x", 'l'},
    {1, ANY, 0xf1, 0xf3, "qo..", 'l'},        {1, ANY, 0xf4, 0xf6, "qx..", 'l'},
    {1, ANY, 0xf8, 0xfe, "qx..", 'l'},        {2, LEGACY_VEX, 0x00, 0x0b, "qx..", 'l'},
    {2, LEGACY_VEX, 0x0c, 0x10, ".x..", 'l'}, {2, LEGACY_VEX, 0x13, 0x13, ".h..", 'l'},
    {2, LEGACY_VEX, 0x14, 0x17, ".x..", 'l'}, {2, ANY, 0x18, 0x18, ".d..", 'l'},
    {2, VEX, 0x19, 0x19, ".q..", 'l'},        {2, VEX, 0x1a, 0x1a, ".o..", 'l'},
    {2, LEGACY_VEX, 0x1c, 0x1e, "qx..", 'l'}, {2, LEGACY_VEX, 0x20, 0x20, ".h..", 'l'},
    {2, LEGACY_VEX, 0x21, 0x21, ".e..", 'l'}, {2, LEGACY_VEX, 0x22, 0x22, ".f..", 'l'},
    {2, LEGACY_VEX, 0x23, 0x23, ".h..", 'l'}, {2, LEGACY_VEX, 0x24, 0x24, ".e..", 'l'},
    {2, LEGACY_VEX, 0x25, 0x25, ".h..", 'l'}, {2, LEGACY_VEX, 0x28, 0x2b, ".x..", 'l'},
    {2, LEGACY_VEX, 0x30, 0x30, ".h..", 'l'}, {2, LEGACY_VEX, 0x31, 0x31, ".e..", 'l'},
    {2, LEGACY_VEX, 0x32, 0x32, ".f..", 'l'}, {2, LEGACY_VEX, 0x33, 0x33, ".h..", 'l'},
    {2, LEGACY_VEX, 0x34, 0x34, ".e..", 'l'}, {2, LEGACY_VEX, 0x35, 0x35, ".h..", 'l'},
    {2, LEGACY_VEX, 0x36, 0x40, ".x..", 'l'}, {2, LEGACY_VEX, 0x41, 0x41, ".o..", 'l'},
    {2, LEGACY_VEX, 0x45, 0x47, ".x..", 'l'}, {2, ANY, 0x58, 0x58, ".d..", 'l'},
    {2, VEX, 0x59, 0x59, ".q..", 'l'},        {2, VEX, 0x5a, 0x5a, ".o..", 'l'},
    {2, ANY, 0x78, 0x78, ".b..", 'l'},        {2, ANY, 0x79, 0x79, ".w..", 'l'},
    {2, LEGACY, 0xc8, 0xcd, "o...", 'l'},     {2, ANY, 0xdb, 0xdf, ".x..", 'l'},
    {2, LEGACY, 0xf0, 0xf0, "vv.b", 'l'},     {2, LEGACY, 0xf1, 0xf1, "vv..", 's'},
    {2, LEGACY, 0xf1, 0xf1, "...v", 'l'},     {2, VEX, 0xf2, 0xf3, "y...", 'l'},
    {2, VEX, 0xf5, 0xf7, "yyyy", 'l'},        {2, LEGACY, 0xf6, 0xf6, ".yy.", 'l'},
    {3, LEGACY_VEX, 0x00, 0x09, ".x..", 'l'}, {3, LEGACY_VEX, 0x0a, 0x0a, ".d..", 'l'},
    {3, LEGACY_VEX, 0x0b, 0x0b, ".q..", 'l'}, {3, LEGACY_VEX, 0x0c, 0x0f, "qx..", 'l'},
    {3, ANY, 0x14, 0x14, ".b..", 's'},        {3, ANY, 0x15, 0x15, ".w..", 's'},
    {3, ANY, 0x16, 0x16, ".y..", 's'},        {3, ANY, 0x17, 0x17, ".d..", 's'},
    {3, VEX, 0x18, 0x18, ".o..", 'l'},        {3, VEX, 0x19, 0x19, ".o..", 's'},
    {3, VEX, 0x1d, 0x1d, ".h..", 's'},        {3, ANY, 0x20, 0x20, ".b..", 'l'},
    {3, ANY, 0x21, 0x21, ".d..", 'l'},        {3, ANY, 0x22, 0x22, ".y..", 'l'},
    {3, VEX, 0x38, 0x38, ".o..", 'l'},        {3, VEX, 0x39, 0x39, ".o..", 's'},
    {3, LEGACY_VEX, 0x40, 0x46, ".x..", 'l'}, {3, VEX, 0x4a, 0x4c, ".x..", 'l'},
    {3, LEGACY_VEX, 0x60, 0x63, ".o..", 'l'}, {3, LEGACY_VEX, 0xcc, 0xcf, "ox..", 'l'},
    {3, LEGACY_VEX, 0xdf, 0xdf, ".x..", 'l'}, {3, VEX, 0xf0, 0xf0, "...y", 'l'},
};

/* One-byte opcodes with a ModRM byte that are equal for all ModRM.reg: size and kind. */
static const char one_byte[][4] = {
    {0x63, 'i', 'l'},       {0x69, 'v', 'l'},       {0x6b, 'v', 'l'},       {(char)0x84, 'b', 'l'},
    {(char)0x85, 'v', 'l'}, {(char)0x86, 'b', 'm'}, {(char)0x87, 'v', 'm'}, {(char)0x88, 'b', 's'},
    {(char)0x89, 'v', 's'}, {(char)0x8a, 'b', 'l'}, {(char)0x8b, 'v', 'l'}, {(char)0x8c, 'w', 's'},
    {(char)0x8d, '-', 'l'}, {(char)0x8e, 'w', 'l'}, {(char)0xc0, 'b', 'm'}, {(char)0xc1, 'v', 'm'},
    {(char)0xc6, 'b', 's'}, {(char)0xc7, 'v', 's'}, {(char)0xd0, 'b', 'm'}, {(char)0xd1, 'v', 'm'},
    {(char)0xd2, 'b', 'm'}, {(char)0xd3, 'v', 'm'}, {(char)0xfe, 'b', 'm'}};

/* D8 … DF by ModRM.reg: size and kind. */
static const char x87[8][17] = {"dldldldldldldldl", "dl??dsds??wl??ws", "dldldldldldldldl", "dldsdsds??tl??ts",
                                "qlqlqlqlqlqlqlql", "qlqsqsqs??????ws", "wlwlwlwlwlwlwlwl", "wlwswswstlqltsqs"};

struct kind {
    char size, how;
};

static struct kind x86_one_byte_kind(const struct x86_form *form)
{
    uint8_t opcode = form->opcode;
    if (opcode < 0x40 || (opcode >= 0x80 && opcode <= 0x83)) {
        bool immediate = form->opcode >= 0x80; /* group 1 */
        unsigned operation = immediate ? form->reg : form->opcode >> 3;
        char size = form->opcode & 1 ? 'v' : 'b';
        bool load = operation == 7 || (!immediate && form->opcode & 2);
        return (struct kind){size, load ? 'l' : 'm'};
    }
    if (opcode >= 0xd8 && opcode <= 0xdf)
        return (struct kind){x87[opcode - 0xd8][2 * form->reg], x87[opcode - 0xd8][2 * form->reg + 1]};
    if ((opcode & 0xfe) == 0xf6)
        return (struct kind){opcode & 1 ? 'v' : 'b', form->reg == 2 || form->reg == 3 ? 'm' : 'l'};
    if (opcode == 0xff)
        return (struct kind){form->reg < 2                      ? 'v'
                             : form->reg == 3 || form->reg == 5 ? '?'
                                                                : 'Q',
                             form->reg < 2 ? 'm' : 'l'};
    if (opcode == 0x8f)
        return (struct kind){'Q', 's'};
    for (size_t i = 0; i < sizeof one_byte / sizeof *one_byte; i++)
        if ((uint8_t)one_byte[i][0] == opcode)
            return (struct kind){one_byte[i][1], one_byte[i][2]};
    return (struct kind){'?', 'l'};
}

static struct kind x86_access_kind(const struct x86_form *form)
{
    static const char state[17] = "????dlds????????"; /* 0F AE: ldmxcsr, stmxcsr */
    unsigned low = form->opcode & 15, high = form->opcode >> 4;
    if (form->map == ONE_BYTE)
        return x86_one_byte_kind(form);
    /* Fused multiply and add: packed or not by the opcode, floats or doubles by W. */
    if (form->map == MAP_0F38 && form->space != LEGACY && form->prefix == 1 &&
        (high == 9 || high == 0xa || high == 0xb) && low >= 6) {
        bool scalar = low >= 9 && form->opcode & 1;
        return (struct kind){scalar ? 'y' : 'x', 'l'};
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        if (row->map == form->map && (row->space & form->space) && row->first <= form->opcode &&
            form->opcode <= row->last && row->size[form->prefix] != '.')
            return (struct kind){row->size[form->prefix], row->how};
    }
    /* Groups whose ModRM.reg matters. */
    if (form->map == MAP_0F && form->opcode == 0xba)
        return (struct kind){form->reg < 4 ? '?' : 'v', form->reg == 4 ? 'l' : 'm'};
    if (form->map == MAP_0F && form->opcode == 0xae && form->prefix == 0)
        return form->reg == 7 ? (struct kind){'-', 'l'} : (struct kind){state[2 * form->reg], state[2 * form->reg + 1]};
    if (form->map == MAP_0F && form->opcode == 0xc7 && form->reg == 1)
        return (struct kind){form->wide ? 'o' : 'q', 'm'};
    return (struct kind){'?', 'l'};
}

/* The bytes of an access; 0: there is none, or it is not supported. */
static unsigned x86_access_bytes(const struct x86_parse *p, char size)
{
    unsigned vector = 16u << p->length, word = p->form.wide ? 8 : p->operand16 ? 2 : 4;
    /* MMX has a vector of 8, but all its rows state that themselves. */
    switch (size) {
    case 'b':
        return 1;
    case 'w':
        return 2;
    case 'd':
        return 4;
    case 'q':
        return 8;
    case 'Q':
        return p->operand16 ? 2 : 8;
    case 'o':
        return 16;
    case 't':
        return 10;
    case 'y':
        return p->form.wide ? 8 : 4;
    case 'v':
        return word;
    case 'i':
        return p->operand16 && !p->form.wide ? 2 : 4;
    case 'x':
        return vector;
    case 'h':
        return vector / 2;
    case 'e':
        return vector / 4;
    case 'f':
        return vector / 8;
    case 'D':
        return p->length ? vector : 8;
    default:
        return 0;
    }
}

/* ------------------------------------------------------------------------------------------ where -- */

/* The operand that ModRM names. */
static void x86_set_operand(const struct x86_parse *p, uint64_t address, unsigned bytes, struct x86_access *access)
{
    const uint8_t *at = p->code + p->modrm_at + 1;
    unsigned mod = p->modrm >> 6, base = p->modrm & 7;
    access->base = access->index = X86_NO_REGISTER;
    access->scale = 1;
    if (base == 4) {
        unsigned sib = *at++, index = (sib >> 3 & 7) | (p->rex & 2u) << 2;
        base = sib & 7;
        access->scale = (uint8_t)(1u << (sib >> 6));
        if (index != X86_RSP)
            access->index = (uint8_t)index;
        if (mod != 0 || base != 5)
            access->base = (uint8_t)(base | (p->rex & 1u) << 3);
    } else if (mod != 0 || base != 5) {
        access->base = (uint8_t)(base | (p->rex & 1u) << 3);
    }
    unsigned width = mod == 1 ? 1 : mod == 2 || (mod == 0 && base == 5) ? 4 : 0;
    access->displacement = width ? x86_read_signed(at, width) : 0;
    if (width == 1 && p->form.space == EVEX)
        access->displacement *= (int64_t)bytes;
    if (mod == 0 && (p->modrm & 7) == 5) /* from the next instruction */
        access->displacement = (int64_t)(address + p->at + (uint64_t)access->displacement);
}

static void x86_describe_access(const struct x86_parse *p, char how, unsigned bytes, struct x86_access *access)
{
    access->segment = p->segment;
    access->address32 = p->address32;
    access->load = how != 's';
    access->store = how != 'l';
    access->bytes = (uint16_t)bytes;
}

/* At a register plus displacement. */
static struct x86_access x86_access_at_register(const struct x86_parse *p, unsigned base, int displacement, char how,
                                                unsigned bytes)
{
    struct x86_access access = {
        .base = (uint8_t)base, .index = X86_NO_REGISTER, .scale = 1, .displacement = displacement};
    x86_describe_access(p, how, bytes, &access);
    if (base == X86_RSP || base == X86_RBP) {
        access.segment = X86_FLAT;
        access.address32 = false;
    }
    return access;
}

static unsigned x86_string_accesses(const struct x86_parse *p, struct x86_access *out)
{
    unsigned opcode = p->form.opcode, bytes = x86_access_bytes(p, opcode & 1 ? 'v' : 'b'), count = 0;
    bool source = opcode <= 0xa7 || opcode == 0xac || opcode == 0xad;
    bool goal = opcode != 0xac && opcode != 0xad;
    char how = opcode == 0xa4 || opcode == 0xa5 || opcode == 0xaa || opcode == 0xab ? 's' : 'l';
    if (source)
        out[count++] = x86_access_at_register(p, X86_RSI, 0, 'l', bytes);
    if (goal) {
        out[count] = x86_access_at_register(p, X86_RDI, 0, how, bytes);
        out[count++].segment = X86_FLAT;
    }
    for (unsigned i = 0; i < count; i++) {
        out[i].repeated = p->repeat != 0;
        out[i].shift = (int32_t)bytes;
    }
    return count;
}

static struct x86_access x86_push_access(const struct x86_parse *p, unsigned bytes)
{
    struct x86_access access = x86_access_at_register(p, X86_RSP, -(int)bytes, 's', bytes);
    access.shift = -(int32_t)bytes;
    return access;
}

static struct x86_access x86_pop_access(const struct x86_parse *p, unsigned bytes)
{
    struct x86_access access = x86_access_at_register(p, X86_RSP, 0, 'l', bytes);
    access.shift = (int32_t)bytes;
    return access;
}

/* Accesses of one-byte opcodes without a ModRM operand; X86_ACCESS_UNKNOWN if not supported. */
static unsigned x86_implicit_accesses(const struct x86_parse *p, struct x86_access *out)
{
    unsigned opcode = p->form.opcode, word = p->operand16 ? 2 : 8;
    if ((opcode >= 0x50 && opcode <= 0x57) || opcode == 0x68 || opcode == 0x6a || opcode == 0x9c)
        out[0] = x86_push_access(p, word);
    else if ((opcode >= 0x58 && opcode <= 0x5f) || opcode == 0x9d)
        out[0] = x86_pop_access(p, word);
    else if (opcode == 0xe8)
        out[0] = x86_push_access(p, 8);
    else if (opcode == 0xc2 || opcode == 0xc3)
        out[0] = x86_pop_access(p, 8);
    else if (opcode == 0xc9)
        out[0] = x86_access_at_register(p, X86_RBP, 0, 'l', 8);
    else if (opcode >= 0xa0 && opcode <= 0xa3) {
        unsigned width = p->address32 ? 4 : 8;
        out[0] = x86_access_at_register(p, X86_NO_REGISTER, 0, opcode >= 0xa2 ? 's' : 'l',
                                        x86_access_bytes(p, opcode & 1 ? 'v' : 'b'));
        out[0].displacement = x86_read_signed(p->code + p->at - width, width);
    } else if (opcode >= 0xa4 && opcode <= 0xaf && (opcode & 0xfe) != 0xa8)
        return x86_string_accesses(p, out);
    else
        return opcode == 0xd7 || opcode == 0xc8 || (opcode >= 0x6c && opcode <= 0x6f) ? X86_ACCESS_UNKNOWN : 0;
    if (opcode == 0xc2)
        out[0].shift += p->code[p->at - 2] | p->code[p->at - 1] << 8;
    return 1;
}

unsigned x86_accesses(const uint8_t *code, size_t bytes, uint64_t address, struct x86_access out[X86_ACCESSES_MAX])
{
    struct x86_parse p;
    if (!x86_parse(code, bytes, &p))
        return X86_ACCESS_UNKNOWN;
    if (!p.modrm_at)
        return p.form.map == ONE_BYTE && p.form.space == LEGACY ? x86_implicit_accesses(&p, out) : 0;
    if (p.modrm >= 0xc0) {
        /* The accesses of an instruction whose ModRM names a register. */
        const struct x86_form *form = &p.form;
        if (form->map == ONE_BYTE && form->opcode == 0xff && (form->reg == 2 || form->reg == 6)) {
            unsigned word = p.operand16 && form->reg == 6 ? 2 : 8;
            out[0] = x86_push_access(&p, word);
            return 1;
        }
        return form->map == MAP_0F && form->opcode == 0xf7 ? X86_ACCESS_UNKNOWN : 0; /* maskmovq */
    }
    if (p.masked)
        return X86_ACCESS_UNKNOWN;
    struct kind kind = x86_access_kind(&p.form);
    unsigned size = x86_access_bytes(&p, kind.size);
    if (size == 0)
        return kind.size == '-' ? 0 : X86_ACCESS_UNKNOWN;
    if (p.form.map == ONE_BYTE && p.form.opcode == 0xff && p.form.reg != 0 && p.form.reg != 1 && p.form.reg != 6)
        size = 8;
    struct x86_access access = {.real = (uint8_t)x86_real_of(&p.form)};
    x86_describe_access(&p, kind.how, size, &access);
    x86_set_operand(&p, address, size, &access);
    out[0] = access;
    /* push m, call *m: also a store on the stack; pop m: also a load from there. */
    unsigned reg = p.form.reg, word = p.operand16 ? 2 : 8;
    if (p.form.map != ONE_BYTE)
        return 1;
    if (p.form.opcode == 0xff && (reg == 2 || reg == 6)) {
        out[1] = x86_push_access(&p, word);
        return 2;
    }
    if (p.form.opcode != 0x8f)
        return 1;
    out[1] = out[0];
    out[0] = x86_pop_access(&p, word);
    if (out[1].base == X86_RSP) /* relative to the stack pointer after the load */
        out[1].displacement += word;
    return 2;
}

uint64_t x86_address(const struct x86_access *access, const uint64_t registers[16], uint64_t fs, uint64_t gs)
{
    uint64_t sum = (uint64_t)access->displacement;
    if (access->base != X86_NO_REGISTER)
        sum += registers[access->base];
    if (access->index != X86_NO_REGISTER)
        sum += registers[access->index] * access->scale;
    if (access->address32)
        sum &= UINT32_MAX;
    return sum + (access->segment == X86_FS ? fs : access->segment == X86_GS ? gs : 0);
}
