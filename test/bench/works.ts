/** The works of the bench: each is a round of the floor and a round of Tidemark on the same site. */
import type { Job } from './floor.ts'
import { floorRound } from './floor-round.ts'
import { urlsOf } from './list-of-urls.ts'
import type { Round, Site } from './round.ts'
import { crawlWork } from './tidemark-crawl.ts'
import type { Work } from './tidemark-round.ts'
import { bulkWork, scanWork } from './tidemark-scans.ts'
import { webhooksFloor, webhooksWork } from './webhooks-round.ts'

type Compared = {
  /** Pages of the site in a short run. */
  pages: number
  hosts: number
  isTls?: true
  /** Concurrent requests of the floor and of Tidemark; default: the concurrency of the command line. */
  concurrency?: number
  floor(site: Site, concurrency: number): Promise<Round>
  tidemark: Work
}

const crawlFloor: Compared['floor'] = (site, concurrency) =>
  floorRound(site, { urls: [`${site.origins[0]}/`], isCrawl: true, isStored: true }, concurrency)

const listFloor =
  (kind: Pick<Job, 'isStored'>): Compared['floor'] =>
  (site, concurrency) =>
    floorRound(site, { urls: urlsOf(site), isCrawl: false, ...kind }, concurrency)

const bulk = { hosts: 50, floor: listFloor({ isStored: true }) }

export const works = {
  /** The first crawl of a fresh process: the cold line with 2,000 pages, the warm one with 10,000. */
  crawl: { pages: 2000, hosts: 1, floor: crawlFloor, tidemark: crawlWork },
  /** One scan after the other; the floor gets, parses and hashes the page. */
  scan: { pages: 500, hosts: 1, concurrency: 1, floor: listFloor({ isStored: false }), tidemark: scanWork },
  bulk: { ...bulk, pages: 2000, tidemark: bulkWork({}) },
  metadata: { ...bulk, pages: 2000, tidemark: bulkWork({ metadata_only: true }) },
  /** Bulk scans of metadata over TLS, of two pages a host, each of which needs a connection of its own. */
  tls: { ...bulk, pages: 1000, hosts: 500, isTls: true, tidemark: bulkWork({ metadata_only: true }) },
  webhooks: { pages: 1000, hosts: 1, floor: webhooksFloor, tidemark: webhooksWork },
} as const satisfies Record<string, Compared>

export type WorkName = keyof typeof works
