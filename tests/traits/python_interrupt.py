# SIGINT while the main thread waits in join for a thread that burns: KeyboardInterrupt comes out of join at once, a
# second one in a handler of Python's own, and the thread goes on.
# todo: a thread that has just got a tick may take a signal that is sent to the process
import os
import signal
import threading
import time

done = []
finished = threading.Event()


def work():
    until = time.thread_time() + 0.6
    while time.thread_time() < until:
        sum(range(1000))
    done.append(True)
    finished.set()


def interrupt():
    time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGINT)


thread = threading.Thread(target=work)
thread.start()
threading.Thread(target=interrupt).start()
try:
    thread.join()
    print("joined")
except KeyboardInterrupt:
    print("interrupted, done:", done)
seen = []
signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
signal.signal(signal.SIGURG, lambda number, frame: seen.append(number))
os.kill(os.getpid(), signal.SIGINT)
os.kill(os.getpid(), signal.SIGURG)
finished.wait()
print("finished, done:", done, "seen:", [int(number) for number in seen])
