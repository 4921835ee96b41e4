/*
 * corners - a program does what it is allowed to do, and a sampler inside it must not change the outcome.
 *   corners take FILE   burns, prints how many ms of CPU time it has used, opens FILE at descriptors 3 to 699, burns
 *                       until there is a file `enough`, but half a minute at most, and writes "mine\n" to FILE
 *   corners last        its main thread leaves by pthread_exit(); the last other one burns and ends: status 0
 *   corners alone       its only thread leaves by pthread_exit(); status 0, and "bye" from atexit()
 *   corners urgent      handles SIGURG, burns, gets one that it raises and no other (9, 10), and raises SIGRTMAX with
 *                       its default action, which ends it
 *   corners alarm       _exit(7) in a signal handler that interrupts malloc() and free()
 *   corners race        _exit(7) in one thread while another returns from main
 *   corners forks       forks 100 times while a timer's signal handler forks, too, at most as often: on a busy machine
 *                       a fork takes longer than the timer's interval, and the main program would not get on
 *   corners threads     2000 short threads, one after the other
 *   corners gone        ten threads whose start and end no library sees leave no open descriptors: status 0; those of
 *                       the last ones may stay for half a minute
 *   corners lost        burns in a function whose unwind information leads to address 64
 *   corners fault       checks that SIGSEGV has its default action, burns, and reads address 64
 *   corners sent        does the same check, burns, and raises SIGSEGV
 *   corners plugins LIBRARY...   loads each, calls its work(), unloads it; status 3 if they were at different addresses
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static volatile unsigned sink;

/* Returns the thread's CPU time at the end. */
static double burn(double ms)
{
    struct burn burn;
    for (burn_begin(&burn); burn_lasts(&burn, ms); burn_look(&burn))
        for (unsigned i = 0; i < 10000; i++)
            sink += i;
    return burn.now;
}

static int take(const char *path)
{
    printf("%.3f\n", burn(150));
    fflush(stdout);
    int own = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    for (int fd = 3; fd < 700; fd++)
        dup2(own, fd);
    for (int i = 0; i < 200 && access("enough", F_OK) != 0; i++)
        burn(150);
    ssize_t written = write(699, "mine\n", 5);
    for (int fd = 3; fd < 700; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            return 2;
    return written == 5 && lseek(own, 0, SEEK_CUR) == 5 ? 0 : 1;
}

static void *burn_and_end(void *unused)
{
    burn(200);
    return unused;
}

static volatile sig_atomic_t urgent;

static void count_urgent(int number)
{
    (void)number;
    urgent++;
}

static void bye(void)
{
    puts("bye");
}

static void leave(int number)
{
    (void)number;
    _exit(7);
}

static int allocate(void)
{
    struct itimerval soon = {.it_value.tv_usec = 80000};
    signal(SIGALRM, leave);
    setitimer(ITIMER_REAL, &soon, NULL);
    for (size_t size = 1;; size = size * 7 % 100003) {
        void *volatile memory = malloc(size);
        free(memory);
    }
}

static void *leave_soon(void *unused)
{
    burn(100);
    _exit(7);
    return unused;
}

static int race(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave_soon, NULL);
    burn(100);
    return 7;
}

enum { FORKS = 100 };

static void on_timer(int number)
{
    static int forks;
    (void)number;
    if (++forks > FORKS)
        return;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}

static int fork_often(void)
{
    struct itimerval often = {{0, 5000}, {0, 5000}}, never = {0};
    signal(SIGALRM, on_timer);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        while (waitpid(child, NULL, 0) != child)
            ;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    return 0;
}

static void *nothing(void *unused)
{
    return unused;
}

static int start_threads(void)
{
    for (int i = 0; i < 2000; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, nothing, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    return 0;
}

static int count_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 4096; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static int come_and_go(void)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *symbol = dlsym(dlopen("libc.so.6", RTLD_NOW), "pthread_create");
    memcpy(&create, &symbol, sizeof create);
    burn(100);
    int before = count_descriptors();
    for (int i = 0; i < 10; i++) {
        pthread_t thread;
        if (create(&thread, NULL, burn_and_end, NULL) != 0)
            return 2;
        pthread_join(thread, NULL);
    }
    for (int i = 0; i < 300 && count_descriptors() - before > 3; i++)
        usleep(100000);
    return count_descriptors() - before > 3;
}

/* Counts down, with a stack frame that no unwinder can find. */
void count_down(unsigned long from);
__asm__(".text\n"
        ".type count_down, @function\n"
        "count_down:\n"
        ".cfi_startproc\n"
        ".cfi_def_cfa %r11, 8\n"
        "mov $64, %r11\n"
        "1: dec %rdi\n"
        "jnz 1b\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size count_down, . - count_down\n");

static int be_lost(void)
{
    struct burn burn;
    for (burn_begin(&burn); burn_lasts(&burn, 300); burn_look(&burn))
        count_down(100000);
    return 0;
}

static int crash(bool sent)
{
    struct sigaction before;
    if (sigaction(SIGSEGV, NULL, &before) != 0 || before.sa_handler != SIG_DFL || signal(SIGBUS, SIG_DFL) != SIG_DFL)
        return 1;
    burn(150);
    if (sent)
        raise(SIGSEGV);
    return *(volatile int *)64;
}

static int load_each(char **paths)
{
    void *place = NULL;
    bool moved = false;
    for (; *paths; paths++) {
        void *library = dlopen(*paths, RTLD_NOW), *symbol = library ? dlsym(library, "work") : NULL;
        if (!symbol)
            return 2;
        moved |= place && symbol != place;
        place = symbol;
        void (*work)(void);
        memcpy(&work, &symbol, sizeof work);
        work();
        dlclose(library);
    }
    return moved ? 3 : 0;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    pthread_t thread;
    if (strcmp(way, "take") == 0)
        return argc > 2 ? take(argv[2]) : 9;
    if (strcmp(way, "last") == 0) {
        pthread_create(&thread, NULL, burn_and_end, NULL);
        pthread_exit(NULL);
    }
    if (strcmp(way, "alone") == 0) {
        atexit(bye);
        burn(150);
        pthread_exit(NULL);
    }
    if (strcmp(way, "urgent") == 0) {
        signal(SIGURG, count_urgent);
        burn(150);
        if (urgent != 0)
            return 9;
        raise(SIGURG);
        if (urgent != 1)
            return 10;
        raise(SIGRTMAX);
        return 8;
    }
    if (strcmp(way, "alarm") == 0)
        return allocate();
    if (strcmp(way, "race") == 0)
        return race();
    if (strcmp(way, "forks") == 0)
        return fork_often();
    if (strcmp(way, "lost") == 0)
        return be_lost();
    if (strcmp(way, "fault") == 0 || strcmp(way, "sent") == 0)
        return crash(strcmp(way, "sent") == 0);
    if (strcmp(way, "plugins") == 0)
        return load_each(argv + 2);
    if (strcmp(way, "gone") == 0)
        return come_and_go();
    return strcmp(way, "threads") == 0 ? start_threads() : 9;
}
