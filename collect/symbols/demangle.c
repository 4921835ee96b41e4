#include "collect/symbols/demangle.h"

#include <errno.h>
#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The suffixes of pieces and copies that GCC and LLVM make of a function. */
static const char *const pieces[] = {"part", "constprop", "isra", "cold", "lto_priv", "localalias", "llvm", "warm"};

static bool demangle_is_piece(const char *after_dot)
{
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        size_t length = strlen(pieces[i]);
        if (strncmp(after_dot, pieces[i], length) == 0 && (after_dot[length] == '.' || after_dot[length] == '\0'))
            return true;
    }
    return false;
}

int demangle(const char *symbol, char **name, char **signature)
{
    size_t whole_length = strlen(symbol);
    for (const char *dot = symbol; *dot && (dot = strchr(dot + 1, '.'));)
        if (demangle_is_piece(dot + 1)) {
            whole_length = (size_t)(dot - symbol);
            break;
        }
    char *whole = strndup(symbol, whole_length);
    if (!whole)
        return ENOMEM;
    char *plain = cplus_demangle(whole, DMGL_AUTO | DMGL_ANSI | DMGL_RET_DROP);
    char *full = plain ? cplus_demangle(whole, DMGL_AUTO | DMGL_ANSI | DMGL_PARAMS | DMGL_RET_DROP) : NULL;
    size_t length = plain ? strlen(plain) : 0;
    bool splits = full && strncmp(full, plain, length) == 0;
    if (plain)
        free(whole);
    *name = plain ? plain : whole;
    *signature = strdup(splits ? full + length : "");
    free(full);
    if (*signature)
        return 0;
    free(*name);
    return ENOMEM;
}
