#include "trace/names/unseen.h"

#include <string.h>

#include "base/error_text.h"

bool unseen_is_no_method(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && name[0] == '[' && name[length - 1] == ']';
}

bool unseen_is_file(const char *name)
{
    static const char *const others[] = {"[vdso]", "[unknown]", "[recorder]", "[signal]", "[module]"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    return unseen_is_no_method(name) && name[1] != ']' && !strpbrk(name, " \t");
}

/* The order of the list: whether a comes before b. */
static bool unseen_is_before(const struct text_set *names, const double *weight, size_t a, size_t b)
{
    return weight[a] != weight[b] ? weight[a] > weight[b] : strcmp(names->texts[a], names->texts[b]) < 0;
}

void unseen_list(const struct text_set *names, const bool *unseen, const double *weight, char *text, size_t size)
{
    enum { NAMES_MAX = 3 };
    size_t last = names->count;
    *text = '\0';
    for (size_t listed = 0; listed <= NAMES_MAX; listed++) {
        size_t next = names->count;
        for (size_t m = 0; m < names->count; m++)
            if (unseen[m] && weight[m] > 0 && (last == names->count || unseen_is_before(names, weight, last, m)) &&
                (next == names->count || unseen_is_before(names, weight, m, next)))
                next = m;
        if (next == names->count)
            return;
        error_list(text, size, listed < NAMES_MAX ? names->texts[next] : "and others");
        last = next;
    }
}
