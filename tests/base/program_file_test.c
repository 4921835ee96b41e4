/* program_file_test.c - programs made by hand, as the ELF specification describes them: which ones take a preload. */
#include "tests/tap.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/program_file.h"

struct made {
    Elf64_Ehdr header;
    Elf64_Phdr segments[3];
    Elf64_Dyn dynamic[4];
    char interpreter[64], names[20000];
};

static void bail_out(const char *why)
{
    printf("Bail out! %s\n", why);
    exit(1);
}

static char directory[] = "/tmp/program_file.XXXXXX";

static struct made program(const char *interpreter)
{
    struct made made = {.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                                   .e_type = ET_DYN,
                                   .e_machine = EM_X86_64,
                                   .e_phoff = offsetof(struct made, segments),
                                   .e_phentsize = sizeof(Elf64_Phdr),
                                   .e_phnum = 3}};
    made.segments[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 0x10000, .p_filesz = sizeof made};
    made.segments[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
                                    .p_offset = offsetof(struct made, dynamic),
                                    .p_vaddr = 0x10000 + offsetof(struct made, dynamic),
                                    .p_filesz = sizeof made.dynamic};
    made.segments[2] = (Elf64_Phdr){.p_type = interpreter ? PT_INTERP : PT_NULL,
                                    .p_offset = offsetof(struct made, interpreter),
                                    .p_filesz = sizeof made.interpreter};
    made.dynamic[0] = (Elf64_Dyn){DT_STRTAB, {.d_ptr = 0x10000 + offsetof(struct made, names)}};
    made.dynamic[1] = (Elf64_Dyn){DT_STRSZ, {.d_val = sizeof made.names}};
    made.dynamic[2] = (Elf64_Dyn){DT_NEEDED, {.d_val = 1}};
    memset(made.names, 'x', sizeof made.names);
    snprintf(made.interpreter, sizeof made.interpreter, "%s", interpreter ? interpreter : "");
    return made;
}

static const char glibc[] = "/lib64/ld-linux-x86-64.so.2";

/* Writes a file, and looks into it. */
static enum program_preload of(const void *bytes, size_t count, mode_t mode, const char **why)
{
    char path[64];
    snprintf(path, sizeof path, "%s/program", directory);
    FILE *file = fopen(path, "w");
    *why = "";
    if (!file || fwrite(bytes, 1, count, file) != count || fclose(file) != 0 || chmod(path, mode) != 0)
        bail_out("no file");
    return program_file_preload(path, why);
}

static enum program_preload of_made(const struct made *made, const char **why)
{
    return of(made, sizeof *made, 0755, why);
}

static void test_linked(void)
{
    const char *why;
    struct made made = program(glibc);
    ok(of_made(&made, &why) == PROGRAM_PRELOADS, "a program of the GNU C library takes a preload");
    made = program("/lib/ld-musl-x86_64.so.1");
    ok(of_made(&made, &why) == PROGRAM_REFUSES && strstr(why, "GNU C library"), "one of another C library refuses it");
    made = program(glibc);
    made.dynamic[2].d_tag = DT_DEBUG;
    ok(of_made(&made, &why) == PROGRAM_REFUSES && strstr(why, "GNU C library"), "one without libraries refuses it");
    made = program(NULL);
    ok(of_made(&made, &why) == PROGRAM_IGNORES && strstr(why, "statically"),
       "one that is statically linked ignores it");
    made = program(glibc);
    made.header.e_ident[EI_CLASS] = ELFCLASS32;
    ok(of_made(&made, &why) == PROGRAM_REFUSES && strstr(why, "64-bit"), "one of 32 bits refuses it");
    made = program(glibc);
    made.header.e_machine = EM_AARCH64;
    ok(of_made(&made, &why) == PROGRAM_REFUSES, "one for another processor refuses it");
}

/* Names are read in parts: one of them lies across a border. */
static void test_sanitized(void)
{
    static const char *const names[] = {"libasan.so.8", "__tsan_init", "__msan_init"};
    const char *why;
    bool good = true;
    for (size_t i = 0; i < 3; i++)
        for (size_t at = 900; at < 1100; at++) {
            struct made made = program(glibc);
            memcpy(made.names + at, names[i], strlen(names[i]) + 1);
            good &= of_made(&made, &why) == PROGRAM_REFUSES && strstr(why, "sanitizer");
        }
    ok(good, "one with a sanitizer refuses it, wherever its name is");
    struct made made = program(glibc);
    memcpy(made.names + sizeof made.names - 7, "libasan", 7);
    ok(of_made(&made, &why) == PROGRAM_PRELOADS, "  but not one with the beginning of such a name");
}

static void test_scripts(void)
{
    char text[256];
    const char *why;
    struct made made = program("/lib/ld-musl-x86_64.so.1");
    of_made(&made, &why);
    snprintf(text, sizeof text, "%s/interpreter", directory);
    char path[64];
    snprintf(path, sizeof path, "%s/program", directory);
    if (rename(path, text) != 0)
        bail_out("no interpreter");
    snprintf(text, sizeof text, "#!%s/interpreter -x\n", directory);
    ok(of(text, strlen(text), 0755, &why) == PROGRAM_REFUSES, "a script is what its interpreter is");
    snprintf(text, sizeof text, "#!/usr/bin/env -S A=1 %s/interpreter\n", directory);
    ok(of(text, strlen(text), 0755, &why) == PROGRAM_REFUSES, "  also through env");
    ok(of("#!", 2, 0755, &why) == PROGRAM_PRELOADS, "  an empty line says nothing");
    snprintf(text, sizeof text, "#!%s/program\n", directory);
    ok(of(text, strlen(text), 0755, &why) == PROGRAM_PRELOADS, "a script that is its own interpreter says nothing");
    setenv("PATH", directory, 1);
    ok(program_file_preload_of_name("interpreter", &why) == PROGRAM_REFUSES, "a name is searched along PATH");
    ok(program_file_preload_of_name("nothing", &why) == PROGRAM_PRELOADS,
       "  nothing is known of one that is not there");
}

/* Cut anywhere, or with numbers that lead nowhere. */
static void test_damaged(void)
{
    const char *why;
    struct made made = program(glibc);
    for (size_t bytes = 0; bytes < offsetof(struct made, names); bytes += 7)
        of(&made, bytes, 0755, &why);
    for (size_t at = 4; at < offsetof(struct made, names); at++) {
        made = program(glibc);
        ((unsigned char *)&made)[at] = 0xff;
        of_made(&made, &why);
    }
    ok(true, "damaged programs are looked into without harm");
}

static void test_privileged(void)
{
    const char *why;
    struct made made = program(glibc);
    ok(of(&made, sizeof made, 04755, &why) == PROGRAM_PRELOADS, "set-user-ID to oneself changes nothing");
    if (getuid() != 0) {
        skip("only root can give a file away");
        return;
    }
    char path[64];
    snprintf(path, sizeof path, "%s/program", directory);
    bool given = chown(path, 1, 1) == 0 && chmod(path, 04755) == 0;
    ok(given && program_file_preload(path, &why) == PROGRAM_IGNORES && strstr(why, "set-user-ID"),
       "one that is set-user-ID to another user ignores it");
}

int main(void)
{
    if (!mkdtemp(directory))
        bail_out("no directory");
    test_linked();
    test_sanitized();
    test_scripts();
    test_damaged();
    test_privileged();
    char command[80];
    snprintf(command, sizeof command, "rm -r %s", directory);
    setenv("PATH", "/bin:/usr/bin", 1);
    return system(command) == 0 ? done_testing() : 1;
}
