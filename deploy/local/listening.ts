/** Where the gateway listens, and whether it is ready. */
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './call.ts'
import { LaunchError } from './launch-error.ts'
import { freePorts, isFree } from './probe.ts'
import type { LaunchSettings } from './settings.ts'

const readyWithinMs = 120_000
const betweenTriesMs = 25

/** The port that was asked for (0: any). Throws LaunchError PORT_TAKEN. */
export async function usablePort({ port, host }: LaunchSettings): Promise<number> {
  if (port === 0) return (await freePorts(1))[0] ?? 0
  if (await isFree(port, host)) return port
  throw new LaunchError(
    'PORT_TAKEN',
    `${port} on ${host} cannot be listened on. Set PORT (or HOST) to something else.`,
  )
}

const anyAddress: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** A URL by which this machine reaches it; with a certificate it speaks HTTPS alone. */
export function baseUrlOf(host: string, port: number, { TLS_CERT }: NodeJS.ProcessEnv): string {
  const reachable = anyAddress[host] ?? host
  const scheme = TLS_CERT ? 'https' : 'http'
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Resolves when /v1/ready answers 200, or when it is no longer wanted. Throws LaunchError NOT_READY after 120 s. */
export async function waitUntilReady(baseUrl: string, stopped: () => boolean): Promise<void> {
  const end = Date.now() + readyWithinMs
  while (!stopped()) {
    const answer = await call(baseUrl, 'GET', '/v1/ready').catch((error: Error) => ({
      status: 0,
      text: error.message,
    }))
    if (answer.status === 200) return
    if (Date.now() > end) throw new LaunchError('NOT_READY', `${baseUrl}/v1/ready says: ${answer.text}`)
    await sleep(betweenTriesMs)
  }
}
