# multiprocessing's forkserver forks from a process that reads SIGCHLD's and SIGINT's former handlers, and passes
# descriptors; one that Python does not know is a TypeError in the child, and the parent waits for ever.
import multiprocessing


def put(queue):
    queue.put(sum(i * i for i in range(300000)))


if __name__ == "__main__":
    multiprocessing.set_start_method("forkserver")
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=put, args=(queue,))
    process.start()
    print(queue.get(timeout=30))
    process.join()
    print(process.exitcode)
