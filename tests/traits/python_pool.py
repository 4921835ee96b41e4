# A pool of processes (fork, then spawn) that burn, one of which dies and is noticed: results, exit codes and signals as
# without a recorder.
import multiprocessing
import os
import signal


def square_sum(n):
    return sum(i * i for i in range(n))


def die():
    square_sum(50000)
    os.kill(os.getpid(), signal.SIGALRM)


if __name__ == "__main__":
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            print(method, pool.map(square_sum, range(20000, 100000, 10000)))
        process = context.Process(target=die)
        process.start()
        process.join(30)
        print(method, "exit code", process.exitcode)
