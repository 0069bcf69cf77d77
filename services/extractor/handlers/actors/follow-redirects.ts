/**
 * Follows a link through its redirects. Each step checks robots.txt and waits for a slot at its host, like the first.
 */
import { Refusal } from '@tidemark/bus/refusal'
import type { CheckLink, LinkChecked } from '@tidemark/contracts/rpc/check-link'
import type { FetchNow } from '@tidemark/contracts/rpc/fetch'
import { maxPageRedirects } from '@tidemark/contracts/work/redirects'
import type { Failed, Fetched, FetchPage } from '../../adapters/fetch-now.ts'
import { requireRobotsAllow } from '../may-fetch.ts'
import type { ReadSiteFile } from '../site-files.ts'

export type FollowPorts = { fetchPage: FetchPage; readSiteFile: ReadSiteFile; robotsToken: string }

export type RedirectChain = {
  /** URL of the last request. */
  url: string
  end: Fetched | Failed
  hops: LinkChecked['hops']
}

export type LinkToFollow = CheckLink & {
  /** Deadline, on the clock of `performance.now()`. */
  endsAt: number
}

/** Maximum time for one response or robots.txt, including the wait for a host slot. */
const stepMs = { HEAD: 8_000, GET: 12_000 } as const
/** Maximum characters of a reported URL. */
const maxReportedLength = 1024

/** Maximum bytes as sent; longer pages are truncated. */
export const maxBytes = 1024 ** 2

/** Rejects with a `Refusal` (`unavailable`) without a fetcher. */
export async function followRedirects(
  ports: FollowPorts,
  link: LinkToFollow,
  method: NonNullable<FetchNow['method']>,
): Promise<RedirectChain> {
  const hops: RedirectChain['hops'] = []
  const visited = new Set<string>()
  for (let { url } = link; ; ) {
    const end = await fetchStep(ports, link, method, url)
    if (end.is === 'failed' || end.location === undefined) return { url, end, hops }
    hops.push({ url: url.slice(0, maxReportedLength), status: end.status })
    visited.add(url)
    url = end.location
    if (hops.length > maxPageRedirects || visited.has(url)) return { url, end: redirectLoop, hops }
  }
}

async function fetchStep(
  ports: FollowPorts,
  { workId, projectId, delayMs, concurrency, endsAt }: LinkToFollow,
  method: NonNullable<FetchNow['method']>,
  url: string,
): Promise<Fetched | Failed> {
  const time = () => Math.max(1, Math.min(stepMs[method], Math.floor(endsAt - performance.now())))
  try {
    await requireRobotsAllow(ports, { url, workId, projectId, timeoutMs: time() })
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

/** Returns the failure of a page that is not fetched, because its robots.txt is unreadable (RFC 9309, 2.3.1.4). */
function withoutRobots({ reason = 'protocol', message }: Refusal): Failed {
  if (ofHost.has(reason)) return { is: 'failed', reason, message, hops: [] }
  const why = `robots.txt could not be fetched: ${message}`
  return { is: 'failed', reason: 'robots', message: why, hops: [], isUnasked: true }
}

const redirectLoop: Failed = {
  is: 'failed',
  reason: 'too_many_redirects',
  message: `The redirects form a loop, or exceed ${maxPageRedirects}.`,
  hops: [],
}
