/** The life of a service's process: start, serve until told to stop, put everything back, end with 0. */
import { once } from 'node:events'

export type StartService = (env: NodeJS.ProcessEnv, signal: AbortSignal) => Promise<AsyncDisposable>

/** Exit code of a process whose settings are wrong: starting it again cannot help (sysexits.h, EX_CONFIG). */
export const badSettingsExit = 78

/**
 * Runs a service until SIGINT, SIGTERM or, under a launcher, the end of its channel. The process is ended here:
 * 0 after a stop, 78 for wrong settings, 1 for anything else, with the reason on standard error.
 */
export async function runService(start: StartService, env: NodeJS.ProcessEnv = process.env): Promise<never> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.once(signal, () => stop.abort())
  try {
    const service = await start(env, stop.signal)
    if (!stop.signal.aborted) await once(stop.signal, 'abort')
    await service[Symbol.asyncDispose]()
    process.exit(0)
  } catch (error) {
    if (stop.signal.aborted && isAbort(error)) process.exit(0)
    process.stderr.write(`${describe(error)}\n`)
    process.exit(codeOf(error) === 'SETTINGS_BAD' ? badSettingsExit : 1)
  }
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Wrong settings need no stack: the reader is the one who sets them. */
const describe = (error: unknown) =>
  codeOf(error) === 'SETTINGS_BAD'
    ? (error as Error).message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error)
