/** Runs the process of a service: it starts, serves until a signal, disposes everything, and ends with exit code 0. */
import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HealthNews, healthChannel } from '@tidemark/contracts/health'

export type StartService = (env: NodeJS.ProcessEnv, signal: AbortSignal) => Promise<AsyncDisposable>

/** The log of a process for its starts and stops. */
export type ProcessLog = { info(fields: object, message: string): void }

/** Exit code for wrong settings: a restart cannot help (sysexits.h, EX_CONFIG). */
const badSettingsExit = 78

/**
 * Runs a service until SIGINT, SIGTERM or, under a launcher, the end of its channel. It ends the process with exit
 * code 0 after a stop, 78 for wrong settings, and 1 for any other error, with the reason on standard error. After a
 * signal it continues for DRAIN_MS and reports that it stops, so that load balancers choose another process.
 */
export async function runProcess(start: StartService, log: ProcessLog): Promise<never> {
  const stop = new AbortController()
  const drainMs = Number(process.env.DRAIN_MS || 0)
  for (const by of ['SIGINT', 'SIGTERM'] as const)
    process.once(by, () => {
      log.info({ by, drain_ms: drainMs }, 'stopping')
      void drained(drainMs).then(() => stop.abort())
    })
  process.once('disconnect', () => stop.abort())
  try {
    const service = await start(process.env, stop.signal)
    notify('started')
    log.info({ pid: process.pid, node: process.version }, 'started')
    if (!stop.signal.aborted) await once(stop.signal, 'abort')
    await service[Symbol.asyncDispose]()
    stopped(log)
  } catch (error) {
    if (stop.signal.aborted && isAbort(error)) stopped(log)
    process.stderr.write(`${describe(error)}\n`)
    process.exit(codeOf(error) === 'SETTINGS_BAD' ? badSettingsExit : 1)
  }
}

/** Notifies the probes and the gateway, which subscribe to this channel. */
const notify = (news: 'started' | 'stopping') =>
  channel(healthChannel).publish({ process: news } satisfies HealthNews)

async function drained(drainMs: number): Promise<void> {
  notify('stopping')
  if (drainMs > 0) await sleep(drainMs)
}

function stopped(log: ProcessLog): never {
  log.info({ after_s: Math.round(process.uptime()) }, 'stopped')
  process.exit(0)
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Returns the text for an error. Wrong settings have no stack trace, because their reader is an operator. */
const describe = (error: unknown) =>
  codeOf(error) === 'SETTINGS_BAD'
    ? (error as Error).message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error)
