/** Reads one page for a scan: from the store if it is recent enough, else from its site. */
import { randomInt } from 'node:crypto'
import type { Tier } from '@tidemark/contracts/primitives'
import type { ScanPage, Wanted } from '@tidemark/contracts/rpc/content'
import type { Contents } from './adapters/contents.ts'
import type { RecentPage } from './adapters/recent-pages.ts'
import type { Found } from './domain/found-page.ts'
import type { SeedPorts } from './judge-seed.ts'

export type ReadPorts = SeedPorts & {
  contents: Contents
  findRecent: (projectId: number, url: string, since: Date) => Promise<RecentPage | null>
  now: () => number
}

export type Reading = {
  url: string
  maxAgeSeconds: number | undefined
  userAgent: string | undefined
  wanted: Wanted
  site: ScanPage['site']
  work: Pick<ScanPage, 'workId' | 'concurrency'>
  delayMs: number
  /** Tier of the project, which determines how long the page is stored. */
  tier: Tier
} & Pick<ScanPage, 'means' | 'picture'>

/**
 * Returns the id of a request's work and its concurrency. All pages of one work share a client identity and a rate
 * limit per host.
 */
export const newWork = (concurrency: number): Reading['work'] => ({
  workId: -randomInt(1, 2 ** 47),
  concurrency,
})

/** Timeout in ms for all backends together, so that a client that waits for 90 s receives a response. */
export const backendsTimeoutMs = 75_000

/** Returns the page. Throws the `Refusal` of the service that could not fetch it. */
export async function readOne(ports: ReadPorts, projectId: number, reading: Reading): Promise<Found> {
  const { url, wanted, site, work, delayMs, userAgent, means, picture, tier } = reading
  const stored = await storedPage(ports, projectId, reading)
  if (stored !== null) return stored
  const scanned = await ports.contents.scan({
    ...work,
    projectId,
    url: new URL(url).href,
    delayMs,
    ...(userAgent !== undefined && { userAgent }),
    wanted,
    site,
    ...(means && { means }),
    ...(picture && { picture }),
    ...((means || picture) && { timeoutMs: backendsTimeoutMs }),
    keepFor: tier,
  })
  return { ...scanned, isStored: false }
}

/** Returns the newest stored page; null: none is recent enough, or it was deleted meanwhile. */
async function storedPage(
  { contents, findRecent, now }: ReadPorts,
  projectId: number,
  { url, maxAgeSeconds, wanted, userAgent, means }: Reading,
): Promise<Found | null> {
  if (maxAgeSeconds === undefined || maxAgeSeconds === 0) return null
  const since = new Date(now() - maxAgeSeconds * 1000)
  const page = await findRecent(projectId, url, since)
  const scanned = await contents.readScan({
    projectId,
    url: new URL(url).href,
    newerThan: (page?.fetchedAt ?? since).toISOString(),
    ...(userAgent !== undefined && { userAgent }),
    ...(means && { means }),
    wanted,
  })
  if (scanned !== null) return { ...scanned, isStored: true }
  if (page === null) return null
  const { runId, urlKey, status } = page
  const content = await contents.read({ projectId, runId, urlKey, url: page.url, status, wanted })
  if (content === null) return null
  const found = { url: page.url, status, fetchedAt: page.fetchedAt.toISOString(), content }
  return { ...found, ...page.site, isStored: true }
}
