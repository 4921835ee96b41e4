/* What a line of C or Java loads. */
#include <ctype.h>
#include <string.h>

#include "analyze/strides/code.h"

static bool expression_is_word_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

static const char *expression_skip_word(const char *at)
{
    while (expression_is_word_byte(*at))
        at++;
    return at;
}

/* The end of a bracketed index, or NULL if it is not closed on this line. *loads is set if it loads something itself.
 */
static const char *expression_skip_index(const char *at, bool *loads)
{
    int depth = 0;
    bool nested = false;
    for (const char *open = at; *at; at++) {
        depth += *at == '[';
        depth -= *at == ']';
        if (depth == 0) {
            *loads |= nested;
            return at + 1;
        }
        nested |= at > open &&
                  (*at == '[' || (at[0] == '-' && at[1] == '>') || (at[0] == '.' && expression_is_word_byte(at[1])));
    }
    return NULL;
}

/* The end of name->name[index].name…, and how it loads; *nested: whether an index does, too. */
static const char *expression_skip_postfix(const char *at, bool java, struct code_expression *expression, bool *nested)
{
    const char *start = at;
    at = expression_skip_word(at);
    for (;;) {
        const char *next = NULL;
        bool element = *at == '[',
             field = at[0] == '.' && expression_is_word_byte(at[1]) && !isdigit((unsigned char)at[1]);
        if (element)
            next = expression_skip_index(at, nested);
        else if (at[0] == '-' && at[1] == '>' && expression_is_word_byte(at[2]))
            next = expression_skip_word(at + 2);
        else if (field)
            next = expression_skip_word(at + 1);
        if (!next)
            return at;
        bool loads = !field || java;
        if (element)
            expression->array = (size_t)(at - start);
        at = next;
        expression->is_element = element;
        if (loads && expression->loads++ < CODE_LOADS_MAX)
            expression->lengths[expression->loads - 1] = (size_t)(at - start);
        else if (!loads && expression->loads > 0 && expression->loads <= CODE_LOADS_MAX) /* a field of what is loaded */
            expression->lengths[expression->loads - 1] = (size_t)(at - start);
    }
}

/* How many there are; *expression is the last of those that are in no index. A comment or a directive ends what can be
 * read, and literals are skipped. */
static unsigned expression_count(const char *line, bool java, struct code_expression *expression)
{
    unsigned found = 0;
    for (const char *at = line; *at && !(at[0] == '/' && (at[1] == '/' || at[1] == '*'));) {
        if (*at == '"' || *at == '\'') {
            char quote = *at++;
            while (*at && *at != quote)
                at += at[0] == '\\' && at[1] ? 2 : 1;
            at += *at != '\0';
            continue;
        }
        if (!expression_is_word_byte(*at)) {
            at++;
            continue;
        }
        struct code_expression here = {.start = (size_t)(at - line)};
        bool twice = false; /* an index loads, or it changes something, so that it must not be evaluated twice */
        const char *end =
            isdigit((unsigned char)*at) ? expression_skip_word(at) : expression_skip_postfix(at, java, &here, &twice);
        for (; at + 1 < end; at++)
            twice |= (at[0] == '+' || at[0] == '-') && at[1] == at[0];
        const char *after = end + strspn(end, " \t");
        bool stored = after[0] == '=' && after[1] != '=';
        if (here.loads > 0 && !stored && *after != '(') {
            *expression = here;
            found += twice ? 2 : 1;
        }
        at = end;
    }
    return found;
}

bool expression_find(const char *line, bool java, struct code_expression *expression)
{
    return expression_count(line, java, expression) == 1 && expression->loads <= CODE_LOADS_MAX;
}

static size_t expression_length(const struct code_expression *expression)
{
    return expression->lengths[expression->loads - 1];
}

bool expression_find_nested(const char *line, bool java, struct code_expression *outer, struct code_expression *inner)
{
    char index[256];
    if (expression_count(line, java, outer) != 2 || !outer->is_element || outer->loads > CODE_LOADS_MAX ||
        expression_length(outer) - outer->array > sizeof index)
        return false;
    size_t length = expression_length(outer) - outer->array - 2;
    memcpy(index, line + outer->start + outer->array + 1, length);
    index[length] = '\0';
    if (!expression_find(index, java, inner) || !inner->is_element || inner->start != 0 ||
        expression_length(inner) != length)
        return false;
    inner->start = outer->start + outer->array + 1;
    return true;
}
