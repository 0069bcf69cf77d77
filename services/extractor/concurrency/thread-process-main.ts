/** The program of `thread-process.ts`. Its main thread stays idle, so that it can measure the thread at any time. */
import { Worker } from 'node:worker_threads'
import type { FromProcess, SentError, ToProcess } from './thread-process.ts'

const [file = '', maxMegabytes] = process.argv.slice(2)
const worker = new Worker(new URL(file), { resourceLimits: { maxOldGenerationSizeMb: Number(maxMegabytes) } })

worker.on('message', value => send({ type: 'message', value }))
worker.on('error', ({ name, message, stack, code }: SentError) =>
  send({ type: 'error', error: { name, message, stack, code } }),
)
worker.on('exit', () => send({ type: 'exit' }))
process.on('message', (message: ToProcess) => {
  if (message.type === 'request') worker.postMessage(message.value)
  else void measure()
})
process.once('disconnect', () => process.exit())
// Signals to the whole group of processes are for the service, which ends this process when it is ready.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

async function measure(): Promise<void> {
  try {
    const [usage, { external_memory }] = await Promise.all([worker.cpuUsage(), worker.getHeapStatistics()])
    send({ type: 'measured', measured: { ...usage, external_memory } })
  } catch {
    // the thread has ended, which its exit event reports
  }
}

function send(message: FromProcess): void {
  process.send?.(message)
}
