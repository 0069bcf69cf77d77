/** One crawl of the site by the floor, measured from its start until both files are closed. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from './child.ts'
import type { Round, Site } from './round.ts'
import { startWatch } from './watch.ts'

/** Throws if a page is missing. */
export async function floorRound(site: Site, concurrency: number): Promise<Round> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-floor-'))
  try {
    await using floor = startChild('floor.ts', site.url, String(concurrency), folder)
    await floor.receive()
    const before = await site.requests()
    const stop = startWatch({ roots: [floor.pid], nodes: [floor.pid], aside: [site.pid] })
    const { pages } = await floor.request<{ pages: number }>('go')
    const used = stop()
    if (pages !== site.pages) throw new Error(`The floor fetched ${pages} of ${site.pages} pages.`)
    return { peer: 'floor', pages, requests: (await site.requests()) - before, ...used }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
