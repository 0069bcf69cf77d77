/**
 * Follows a link through its redirects. Each step checks robots.txt and waits for a slot at its host, like the first.
 */
import { Refusal } from '@tidemark/bus/refusal'
import type { CheckLink, LinkChecked } from '@tidemark/contracts/rpc/check-link'
import type { FetchNow } from '@tidemark/contracts/rpc/fetch'
import { maxPageRedirects } from '@tidemark/contracts/work/redirects'
import type { Failed, Fetched, FetchPage } from '../../adapters/fetch-now.ts'
import { insistOnLeave } from '../may-fetch.ts'
import type { ReadSiteFile } from '../site-files.ts'

export type TravelPorts = { fetchPage: FetchPage; readSiteFile: ReadSiteFile; robotsToken: string }

export type Trip = {
  /** The final step. */
  url: string
  end: Fetched | Failed
  hops: LinkChecked['hops']
}

export type Journey = CheckLink & {
  /** Deadline, on the clock of `performance.now()`. */
  endsAt: number
}

/** Maximum time for one response or robots.txt, including the wait for a host slot. */
const stepMs = { HEAD: 8_000, GET: 12_000 } as const
/** Reported facts of redirects. */
const maxToldLength = 1024

/** Maximum bytes as sent; longer pages are truncated. */
export const maxBytes = 1024 ** 2

/** Rejects with a `Refusal` (`unavailable`) without a fetcher. */
export async function travel(
  ports: TravelPorts,
  journey: Journey,
  method: NonNullable<FetchNow['method']>,
): Promise<Trip> {
  const hops: Trip['hops'] = []
  const been = new Set<string>()
  for (let { url } = journey; ; ) {
    const end = await askAt(ports, journey, method, url)
    if (end.is === 'failed' || end.location === undefined) return { url, end, hops }
    hops.push({ url: url.slice(0, maxToldLength), status: end.status })
    been.add(url)
    url = end.location
    if (hops.length > maxPageRedirects || been.has(url)) return { url, end: circle, hops }
  }
}

async function askAt(
  ports: TravelPorts,
  { workId, projectId, delayMs, concurrency, endsAt }: Journey,
  method: NonNullable<FetchNow['method']>,
  url: string,
): Promise<Fetched | Failed> {
  const time = () => Math.max(1, Math.min(stepMs[method], Math.floor(endsAt - performance.now())))
  try {
    await insistOnLeave(ports, { url, workId, projectId, timeoutMs: time() })
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'unavailable') throw error
    return withoutRobots(error)
  }
  const limits = { maxHops: 0, maxBytes, cuts: true, timeoutMs: time() }
  return ports.fetchPage({ workId, projectId, url, method, delayMs, concurrency, ...limits })
}

/** A failure of robots.txt counts for the page only if the page would fail in the same way. */
const ofHost: ReadonlySet<string> = new Set([
  ...['robots', 'private_address', 'blocked_domain', 'bad_url'],
  ...['dns', 'connect', 'tls', 'not_configured'],
])

/** Returns the failure of a page whose robots.txt is unreadable: it is not fetched (RFC 9309, 2.3.1.4). */
function withoutRobots({ reason = 'protocol', message }: Refusal): Failed {
  if (ofHost.has(reason)) return { is: 'failed', reason, message, hops: [] }
  const why = `robots.txt could not be fetched: ${message}`
  return { is: 'failed', reason: 'robots', message: why, hops: [], isUnasked: true }
}

const circle: Failed = {
  is: 'failed',
  reason: 'too_many_redirects',
  message: `The redirects form a loop, or exceed ${maxPageRedirects}.`,
  hops: [],
}
