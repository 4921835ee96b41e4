# What Python finds as each signal's disposition when it starts, and after work in two threads.
# todo: mode exact: signal 64 is Valgrind's
import signal
import threading


def work():
    sum(i * i for i in range(300000))


def tell():
    for number in sorted(signal.valid_signals()):
        handler = signal.getsignal(number)
        if handler != signal.SIG_DFL:
            print(int(number), "default_int_handler" if handler is signal.default_int_handler else handler)


tell()
thread = threading.Thread(target=work)
thread.start()
work()
thread.join()
tell()
print("blocked", len(signal.pthread_sigmask(signal.SIG_BLOCK, [])), "pending", len(signal.sigpending()))
