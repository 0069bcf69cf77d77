/** Chooses the address of the gateway, and waits until it is ready. */
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts, isFree } from '@tidemark/config/free-ports'
import { call } from './call.ts'
import { LaunchError } from './launch-error.ts'
import type { LaunchSettings } from './settings.ts'

const readyWithinMs = 120_000
const betweenTriesMs = 25
const betweenLateTriesMs = 1_000

/** Returns the requested port, or a free one for 0. Throws LaunchError PORT_TAKEN. */
export async function usablePort({ port, host }: LaunchSettings): Promise<number> {
  if (port === 0) return (await freePorts(1))[0] ?? 0
  if (await isFree(port, host)) return port
  throw new LaunchError(
    'PORT_TAKEN',
    `${port} on ${host} is unavailable. Set PORT (or HOST) to another value.`,
  )
}

const anyAddress: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Returns the URL of the gateway on this machine. With a certificate it is HTTPS only. */
export function baseUrlOf(host: string, port: number, { TLS_CERT }: NodeJS.ProcessEnv): string {
  const reachable = anyAddress[host] ?? host
  const scheme = TLS_CERT ? 'https' : 'http'
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

export type Waiting = {
  stopped: () => boolean
  report: (line: string) => void
  /** Milliseconds without a message, in which a missing listener is not a fault. */
  patienceMs?: number
}

/**
 * Resolves when `GET /v1/ready` returns 200, or when `stopped` returns true. After 120 s it prints the cause, repeats
 * that when the cause changes, and keeps waiting, because the healthy parts already serve. Throws LaunchError NOT_READY
 * if nothing listens by then.
 */
export async function waitUntilReady(
  baseUrl: string,
  { stopped, report, patienceMs = readyWithinMs }: Waiting,
): Promise<void> {
  const end = Date.now() + patienceMs
  let hasResponded = false
  let reported = ''
  while (!stopped()) {
    const { status, text } = await call(baseUrl, 'GET', '/v1/ready').catch((error: Error) => ({
      status: 0,
      text: error.message,
    }))
    if (status === 200) return
    hasResponded ||= status !== 0
    const isLate = Date.now() > end
    if (isLate && !hasResponded) throw new LaunchError('NOT_READY', `${baseUrl}/v1/ready reports: ${text}`)
    const fault = messageIn(text)
    if (isLate && fault !== reported)
      report(`${fault} The other services run; ${baseUrl}/v1/ready reports when all are ready.`)
    if (isLate) reported = fault
    await sleep(isLate ? betweenLateTriesMs : betweenTriesMs)
  }
}

/** Returns the message of an error response, or the whole text. */
function messageIn(text: string): string {
  try {
    return String(JSON.parse(text).error.message)
  } catch {
    return text
  }
}
