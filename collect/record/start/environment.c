#include "collect/record/start/environment.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/checksum.h"

/* The shell, the terminal, the desktop, the connection or the job from which a session was started: they differ from
 * one to the next, and hardly any program runs differently for them. */
static const char *const SESSION[] = {"_",
                                      "ASSAY_*",
                                      "BUILDKITE_*",
                                      "BUILD_ID",
                                      "BUILD_NUMBER",
                                      "BUILD_TAG",
                                      "BUILD_URL",
                                      "CI_*",
                                      "COLORTERM",
                                      "COLUMNS",
                                      "DBUS_*",
                                      "DESKTOP_*",
                                      "DISPLAY",
                                      "GDM*",
                                      "GITHUB_*",
                                      "GNOME_*",
                                      "GPG_*",
                                      "GTK_*",
                                      "HIST*",
                                      "INVOCATION_ID",
                                      "JENKINS_*",
                                      "JOURNAL_STREAM",
                                      "KDE_*",
                                      "KITTY_*",
                                      "LESS*",
                                      "LINES",
                                      "LS_COLORS",
                                      "MAIL",
                                      "OLDPWD",
                                      "PPID",
                                      "PS1",
                                      "PWD",
                                      "QT_*",
                                      "RUNNER_*",
                                      "SESSION_MANAGER",
                                      "SHLVL",
                                      "SSH_*",
                                      "STY",
                                      "SUDO_*",
                                      "SYSTEMD_*",
                                      "TERM",
                                      "TERM_*",
                                      "TMUX*",
                                      "VSCODE_*",
                                      "VTE_VERSION",
                                      "WAYLAND_*",
                                      "WINDOW",
                                      "WINDOWID",
                                      "XAUTHORITY",
                                      "XDG_*"};

static const char *const SECRET[] = {"*PASSWORD*",   "*PASSWD*", "*PASSPHRASE*", "*SECRET*", "*TOKEN*",
                                     "*CREDENTIAL*", "*_KEY",    "*_KEY_*",      "*APIKEY*", "*COOKIE*"};

static bool environment_is_listed(const char *name, const char *const *patterns, size_t count, int flags)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(patterns[i], name, flags) == 0)
            return true;
    return false;
}

json_t *environment_checksums(char *const *environment)
{
    json_t *all = json_object();
    for (; all && *environment; environment++) {
        char name[256], text[16];
        size_t length = strcspn(*environment, "=");
        if ((*environment)[length] != '=' || length == 0 || length >= sizeof name)
            continue;
        memcpy(name, *environment, length);
        name[length] = '\0';
        if (environment_is_listed(name, SESSION, sizeof SESSION / sizeof *SESSION, 0) ||
            environment_is_listed(name, SECRET, sizeof SECRET / sizeof *SECRET, FNM_CASEFOLD))
            continue;
        const char *value = *environment + length + 1;
        snprintf(text, sizeof text, "%08" PRIx32, checksum_crc32c(value, strlen(value)));
        json_object_set_new(all, name, json_string(text)); /* a name that is not UTF-8 has no key in JSON */
    }
    return all;
}
