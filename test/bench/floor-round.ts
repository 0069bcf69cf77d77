/** One round of the floor: a crawl, measured from its start until both files are closed, or a list of URLs. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from './child.ts'
import type { Done, Job } from './floor.ts'
import type { Round, Site } from './round.ts'
import { startWatch } from './watch.ts'

/** Throws if a page is missing. */
export async function floorRound(site: Site, job: Job, concurrency: number): Promise<Round> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-floor-'))
  const env = site.authority === null ? {} : { NODE_EXTRA_CA_CERTS: site.authority }
  const expected = job.isCrawl ? site.pages : job.urls.length
  try {
    await using floor = startChild({ file: 'floor.ts', env }, String(concurrency), folder)
    await floor.receive()
    const before = await site.requests()
    const stop = startWatch({ roots: [floor.pid], nodes: [floor.pid], aside: [site.pid] })
    const { pages, waits } = await floor.request<Done>(job)
    const used = stop()
    if (pages !== expected) throw new Error(`The floor fetched ${pages} of ${expected} pages.`)
    const requests = (await site.requests()) - before
    const bytes = (site.bytes * pages) / site.pages
    return { peer: 'floor', pages, requests, bytes, ...(concurrency === 1 && { waits }), ...used }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
