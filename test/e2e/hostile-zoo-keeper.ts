/**
 * The zoo in a thread of its own, so that its bombs and slow responses do not delay the measuring test. This file is
 * both the thread and its interface.
 */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { openZoo } from '@tidemark/testing/zoo/keeper'
import { zoo } from '@tidemark/testing/zoo/zoo'

export type DistantZoo = {
  seeds: Record<string, string>
  certificates: string
  /** Closes the zoo and returns the number of requests to forbidden addresses. */
  close(): Promise<{ forbiddenHits: number }>
}

/** Rejects if the zoo cannot start. */
export async function openDistantZoo(): Promise<DistantZoo> {
  const worker = new Worker(new URL(import.meta.url), { execArgv: [] })
  const [opened] = await once(worker, 'message')
  worker.unref() // a test that fails before it closes the zoo can still end
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

async function keep(port: NonNullable<typeof parentPort>): Promise<void> {
  const open = await openZoo(zoo)
  port.postMessage({ seeds: open.seeds, certificates: open.certificates })
  await once(port, 'message')
  const forbiddenHits = open.forbiddenHits()
  await open.close()
  port.postMessage({ forbiddenHits })
}
