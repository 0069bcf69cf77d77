/**
 * The way from a link to where its redirects lead, each step with leave of its site's robots.txt and in turn at its
 * host, as if it were the first.
 */
import { Refusal } from '@tidemark/bus/ask'
import type { CheckLink, LinkChecked } from '@tidemark/contracts/ask/check-link'
import type { FetchNow } from '@tidemark/contracts/ask/fetch'
import type { Failed, Fetched, FetchPage } from '../../adapters/fetch-now.ts'
import { insistOnLeave } from '../may-fetch.ts'
import type { ReadSiteFile } from '../site-files.ts'

export type TravelPorts = { fetchPage: FetchPage; readSiteFile: ReadSiteFile; robotsToken: string }

export type Trip = {
  /** Where it ended. */
  url: string
  end: Fetched | Failed
  hops: LinkChecked['hops']
}

export type Journey = CheckLink & {
  /** When all must be over, on the clock of `performance.now()`. */
  endsAt: number
}

const mostHops = 10
/** Of one answer, or of a robots.txt, its turn at the host included. */
const stepMs = { HEAD: 8_000, GET: 12_000 } as const
/** What is told of what redirected. */
const longestTold = 1024

/** Bytes over the wire, beyond which a page is cut. */
export const mostBytes = 1024 ** 2

/** Rejects with a `Refusal` (`unavailable`) where there is no fetcher. */
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
    hops.push({ url: url.slice(0, longestTold), status: end.status })
    been.add(url)
    url = end.location
    if (hops.length > mostHops || been.has(url)) return { url, end: circle, hops }
  }
}

async function askAt(
  ports: TravelPorts,
  { workId, delayMs, concurrency, endsAt }: Journey,
  method: NonNullable<FetchNow['method']>,
  url: string,
): Promise<Fetched | Failed> {
  const time = () => Math.max(1, Math.min(stepMs[method], Math.floor(endsAt - performance.now())))
  try {
    await insistOnLeave(ports, { url, workId, timeoutMs: time() })
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'unavailable') throw error
    return withoutRobots(error)
  }
  const limits = { maxHops: 0, maxBytes: mostBytes, cuts: true, timeoutMs: time() }
  return ports.fetchPage({ workId, url, method, delayMs, concurrency, ...limits })
}

/** What a site's robots.txt met is no news of its page, but where its page would meet the same. */
const ofHost: ReadonlySet<string> = new Set([
  ...['robots', 'private_address', 'blocked_domain', 'bad_url'],
  ...['dns', 'connect', 'tls', 'not_configured'],
])

/** Without a robots.txt that can be had nothing is asked for (RFC 9309, 2.3.1.4). */
function withoutRobots({ reason = 'protocol', message }: Refusal): Failed {
  if (ofHost.has(reason)) return { is: 'failed', reason, message, hops: [] }
  const why = `robots.txt could not be had: ${message}`
  return { is: 'failed', reason: 'robots', message: why, hops: [], isUnasked: true }
}

const circle: Failed = {
  is: 'failed',
  reason: 'too_many_redirects',
  message: `The redirects go in a circle, or are more than ${mostHops}.`,
  hops: [],
}
