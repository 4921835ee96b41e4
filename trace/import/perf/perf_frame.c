#include "trace/import/perf/perf_frame.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char hexadecimal[] = "0123456789abcdef";

char *perf_skip_blanks(char *at)
{
    return at + strspn(at, " \t");
}

/* Cuts blanks off the end. */
static size_t perf_trim(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        text[--length] = '\0';
    return length;
}

/* Cuts "+0x1a" off a symbol. */
static void perf_cut_offset(char *symbol)
{
    char *plus = strrchr(symbol, '+');
    if (plus && plus > symbol && strncmp(plus, "+0x", 3) == 0 && plus[3] &&
        plus[3 + strspn(plus + 3, hexadecimal)] == '\0')
        *plus = '\0';
}

/* Where " (MODULE" begins that is a path or the kernel's, or NULL. */
static char *perf_find_module(char *symbol)
{
    char *path = strstr(symbol, " (/"), *special = strstr(symbol, " ([");
    return path && (!special || path < special) ? path : special;
}

bool perf_parse_frame(char *line, struct perf_frame *frame)
{
    char *end, *start = perf_skip_blanks(line);
    errno = 0;
    frame->address = strtoull(start, &end, 16);
    if (end == start || (*end != ' ' && *end != '\t' && *end) || errno || *start == '-' || *start == '+')
        return false;
    char *symbol = frame->symbol = perf_skip_blanks(end);
    if (strncmp(symbol, "insn:", 5) == 0)
        return false; /* an instruction between two branches */
    size_t length = perf_trim(symbol);
    frame->module = NULL;
    if (length > 0 && symbol[length - 1] == ')') { /* " (MODULE)" at the end; the symbol and the path may have some */
        char *module = perf_find_module(symbol), *open = module ? module + 1 : strrchr(symbol, '(');
        if (open && (open == symbol || open[-1] == ' ')) {
            symbol[length - 1] = '\0';
            *open = '\0';
            perf_cut_offset(open + 1); /* of dsoff */
            frame->module = open + 1;
        }
    }
    perf_trim(symbol);
    perf_cut_offset(symbol);
    return true;
}

/* ------------------------------------------------------------------------------------------ columns -- */

/* Cuts what follows the symbol and the module of the ip. */
static void perf_cut_others(char *text)
{
    size_t length = perf_trim(text);
    char *start = perf_find_module(text), *end = start;
    if (length == 0 || text[length - 1] == ')')
        return;
    while (end && (end = strchr(end, ')')) && end[1] != ' ' && end[1] != '\t')
        end++;
    if (end) {
        end[1] = '\0';
        return;
    }
    char *plus = strstr(text, "+0x"); /* a symbol without a module */
    if (plus)
        plus[3 + strspn(plus + 3, hexadecimal)] = '\0';
}

/* Whether the text behind an address is a symbol: not the meaning of DATA_SRC, nor branches and registers. */
static bool perf_is_symbol(const char *text)
{
    static const char *const others[] = {"|", "0x", "insn:", "ilen:", "ABI:", "=>"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(text, others[i], strlen(others[i])) == 0)
            return false;
    return *text != '\0';
}

/* Whether a word of a line begins an address: it is padded to 16 characters, or follows a module, or comes first and
 * has a symbol. */
static bool perf_begins_address(const char *columns, const char *word)
{
    const char *before = word;
    size_t digits = strspn(word, hexadecimal);
    if (digits == 0 || digits > 16 || (word[digits] != ' ' && word[digits] != '\t' && word[digits]))
        return false;
    while (before > columns && (before[-1] == ' ' || before[-1] == '\t'))
        before--;
    if ((size_t)(word - before) + digits >= 16)
        return true;
    if (before == columns)
        return word[digits] == '\0' || strstr(word, "+0x") || word[strlen(word) - 1] == ')';
    return before[-1] == ')' && digits >= 8;
}

bool perf_parse_ip(char *columns, struct perf_frame *frame)
{
    char *ip = NULL, *bare = NULL, *target = strstr(columns, " => ");
    size_t bares = 0;
    if (target) /* of a branch from the ip */
        *target = '\0';
    perf_trim(columns);
    for (char *word = perf_skip_blanks(columns), *next; *word; word = next) {
        next = perf_skip_blanks(word + strcspn(word, " \t"));
        if (!perf_begins_address(columns, word))
            continue;
        bool symbol = perf_is_symbol(next) && !perf_begins_address(columns, next);
        ip = symbol ? word : ip;
        bare = symbol ? bare : word;
        bares += !symbol;
    }
    if (!ip && bares == 1)
        ip = bare;
    if (!ip)
        return false;
    char *text = perf_skip_blanks(ip + strcspn(ip, " \t"));
    for (char *word = text; *word; word = perf_skip_blanks(word + strcspn(word, " \t")))
        if (word > text && perf_begins_address(columns, word)) {
            *word = '\0'; /* PHYS_ADDR */
            break;
        }
    perf_cut_others(text);
    return perf_parse_frame(ip, frame);
}

int perf_parse_srcline(char *text, char **file, uint64_t *line)
{
    text = perf_skip_blanks(text);
    perf_trim(text);
    char *note = strstr(text, " ("), *colon = strrchr(text, ':'), *bracket = strrchr(text, '[');
    if (note) { /* "(discriminator 3)", "(inlined)" */
        *note = '\0';
        colon = strrchr(text, ':');
    }
    size_t length = strlen(text);
    if (bracket && bracket > text && text[length - 1] == ']' && bracket[1 + strspn(bracket + 1, hexadecimal)] == ']')
        return -1;
    if (!colon || colon == text || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")] || strchr(text, ' '))
        return 0;
    *colon = '\0';
    *file = text;
    *line = strtoull(colon + 1, NULL, 10);
    return strcmp(text, "??") == 0 || *line == 0 ? -1 : 1;
}

char *perf_cut_inlined(char *symbol)
{
    char *arrow = NULL;
    if (strpbrk(symbol, " \t<") || strstr(symbol, "operator->")) /* of C++, Rust and others */
        return NULL;
    for (char *at = strstr(symbol, "->"); at; at = strstr(at + 2, "->"))
        arrow = at > symbol && at[2] ? at : arrow;
    if (!arrow)
        return NULL;
    *arrow = '\0';
    return arrow + 2;
}
