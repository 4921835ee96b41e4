# SIGINT raises KeyboardInterrupt, which Python arranges only if it finds SIGINT's default disposition when it starts: a
# recorder that handles SIGINT must not show.
import os
import signal
import threading
import time

print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    time.sleep(5)
    print("slept through")
except KeyboardInterrupt:
    print("caught, results saved")
finally:
    print("cleanup")
