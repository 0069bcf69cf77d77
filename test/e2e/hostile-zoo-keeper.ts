/**
 * The zoo in a thread of its own: its bombs and drips must not slow the clock of the test that measures. This
 * file is both the thread and the door to it.
 */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { openZoo } from '@tidemark/testing/zoo/keeper'
import { zoo } from '@tidemark/testing/zoo/zoo'

export type DistantZoo = {
  seeds: Record<string, string>
  certificates: string
  /** Closes it; how often somebody came to where nobody may. */
  close(): Promise<{ forbiddenHits: number }>
}

/** Rejects when the zoo cannot be opened. */
export async function openDistantZoo(): Promise<DistantZoo> {
  const worker = new Worker(new URL(import.meta.url), { execArgv: [] })
  const [opened] = await once(worker, 'message')
  worker.unref() // a test that fails before it closes the zoo still ends
  return {
    ...opened,
    async close() {
      worker.ref()
      worker.postMessage('close')
      const [closed] = await once(worker, 'message')
      await worker.terminate()
      return closed
    },
  }
}

if (!isMainThread && parentPort) await keep(parentPort)

async function keep(door: NonNullable<typeof parentPort>): Promise<void> {
  const open = await openZoo(zoo)
  door.postMessage({ seeds: open.seeds, certificates: open.certificates })
  await once(door, 'message')
  const forbiddenHits = open.forbiddenHits()
  await open.close()
  door.postMessage({ forbiddenHits })
}
