/**
 * `node host.ts NAME…`: one process with these services. Under the launcher it loads their code immediately and starts
 * them on its message (servers are running, migrations are done), which saves the loading time. It ends with the
 * launcher, however that ends.
 */
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { runProcess, type StartService } from '@tidemark/config/process'
import { SettingsError } from '@tidemark/config/settings'
import { watchEventLoop } from '@tidemark/telemetry/event-loop'
import { collectWhenIdle } from '@tidemark/telemetry/idle-collection'
import { createLog } from '@tidemark/telemetry/log'
import { entries } from './entries.ts'
import { environmentOf } from './own-connections.ts'
import { sampleIsOver } from './processes/service-process.ts'

const orphanLivesMs = 3_000

process.once('disconnect', () => setTimeout(() => process.exit(1), orphanLivesMs).unref())
const names = process.argv.slice(2)
const [only = 'host', ...others] = names
const log = createLog(others.length === 0 ? only : 'host')
await runProcess(startAll, log)

async function startAll(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const services = await Promise.all(names.map(load))
  flushCompileCache()
  if (process.connected) await once(process, 'message', { signal })
  process.on('message', receive)
  const results = await Promise.allSettled(
    services.map((start, n) => start(environmentOf(names[n] ?? '', env), signal)),
  )
  const started = results.filter(result => result.status === 'fulfilled').map(({ value }) => value)
  const failures = results
    .filter(result => result.status === 'rejected')
    .map(({ reason }) => reason as unknown)
  const stop = () => disposeAll(started)
  if (failures.length > 0) {
    await stop()
    throw worstOf(failures)
  }
  if (env.EVENT_LOOP_STALL_MS) watchEventLoop(log, Number(env.EVENT_LOOP_STALL_MS))
  void collectWhenIdle()
  return { [Symbol.asyncDispose]: stop }
}

async function receive(message: unknown): Promise<void> {
  if (message === sampleIsOver) (await import('@tidemark/http/guard')).closePeers()
}

async function load(name: string): Promise<StartService> {
  const entry = Object.entries(entries).find(([service]) => service === name)?.[1]
  if (entry === undefined) throw new Error(`${name} is not a service`)
  return (await entry()).startService
}

/**
 * Stops all services concurrently and begins with the first, the gateway, so that it accepts no request that no other
 * service can process.
 */
async function disposeAll(services: AsyncDisposable[]): Promise<void> {
  const results = await Promise.allSettled(services.map(service => service[Symbol.asyncDispose]()))
  for (const result of results)
    if (result.status === 'rejected') console.error('a service did not stop cleanly:', result.reason)
}

/** Returns one error with the faults of all settings, or else the first error. */
function worstOf(failures: unknown[]): unknown {
  const faults = failures.flatMap(failure => (failure instanceof SettingsError ? failure.faults : []))
  return faults.length > 0 ? new SettingsError([...new Set(faults)]) : failures[0]
}
