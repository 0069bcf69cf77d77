/** A fake of the pattern thread that hangs on requests about `/hang`. */
import { parentPort, workerData } from 'node:worker_threads'

const current = new Int32Array(workerData as SharedArrayBuffer)

parentPort?.on('message', ({ id, urls }: { id: number; urls: string[] }) => {
  Atomics.store(current, 0, id)
  if (urls[0]?.endsWith('/hang')) for (;;);
  Atomics.store(current, 0, 0)
  parentPort?.postMessage({ id, answer: [-1], spentMs: 0 })
})
