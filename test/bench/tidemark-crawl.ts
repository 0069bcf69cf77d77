/**
 * One crawl of the site by Tidemark, from the POST request until a response has the status `done`. The result is
 * checked afterwards.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunView } from '@tidemark/contracts/http/crawls'
import type { PageItem } from '@tidemark/contracts/http/pages'
import type { System } from '../e2e/system.ts'
import type { Site } from './round.ts'
import { pageHtml, pathOf } from './site.ts'
import type { Work } from './tidemark-round.ts'

const betweenPollsMs = 50
const limitMs = 1_800_000
const listedAtOnce = 10_000

/** Throws if a page is missing, listed twice, or different from the site's. */
export const crawlWork: Work = async ({ system, key, site, concurrency, signal, timed }) => {
  const run = await timed(() => crawl(system, key, site, concurrency, signal))
  await check(system, key, run, site)
  return { pages: run.page_count, bytes: site.bytes }
}

async function crawl(
  { call }: System,
  key: string,
  site: Site,
  concurrency: number,
  signal: AbortSignal,
): Promise<RunView> {
  const request = { url: `${site.origins[0]}/`, max_pages: 100_000, depth: 50, delay_ms: 0, concurrency }
  const { status, body } = await call(key, 'POST', '/v1/crawls', request)
  if (status !== 202) throw new Error(`POST /v1/crawls answered ${status}: ${JSON.stringify(body)}`)
  const limit = Date.now() + limitMs
  while (Date.now() < limit) {
    await sleep(betweenPollsMs, null, { signal })
    const { body: run } = await call(key, 'GET', `/v1/crawls/${body.id}`)
    if (['done', 'failed', 'cancelled'].includes(run.status)) return run
  }
  throw new Error(`The crawl did not end within ${limitMs / 1000} s.`)
}

async function check(system: System, key: string, run: RunView, site: Site): Promise<void> {
  const items = await pagesOf(system, key, run.id)
  const urls = new Set(items.map(({ url }) => url))
  const faults = [
    run.status !== 'done' && `the run ended as ${run.status}`,
    run.error_count > 0 && `${run.error_count} errors`,
    run.page_count !== site.pages && `${run.page_count} pages counted`,
    items.length !== site.pages && `${items.length} pages listed`,
    urls.size !== items.length && `${items.length - urls.size} URLs listed twice`,
    ...Array.from({ length: site.pages }, (_, page) => new URL(pathOf(page), site.origins[0]).href).map(
      url => !urls.has(url) && `${url} is missing`,
    ),
    ...(await Promise.all(
      [0, site.pages >> 1, site.pages - 1].map(page => bodyFault(system, key, items, page, site)),
    )),
  ].filter(fault => fault !== false)
  if (faults.length > 0) throw new Error(`Of ${site.pages} pages: ${faults.slice(0, 10).join('; ')}.`)
}

async function pagesOf({ call }: System, key: string, runId: number): Promise<PageItem[]> {
  const items: PageItem[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const path: string = `/v1/crawls/${runId}/pages?limit=${listedAtOnce}&offset=${offset}`
    const { status, body } = await call(key, 'GET', path)
    if (status !== 200) throw new Error(`GET ${path} answered ${status}.`)
    items.push(...body.items)
    offset = body.next_offset
  }
  return items
}

/** Returns a fault if the stored body differs from that of the site. */
async function bodyFault({ call }: System, key: string, items: PageItem[], page: number, site: Site) {
  const { href } = new URL(pathOf(page), site.origins[0])
  const id = items.find(({ url }) => url === href)?.id
  const { status, body } = await call(key, 'GET', `/v1/pages/${id}?format=html`)
  if (status !== 200) return `the request for the body of ${href} got ${status}: ${JSON.stringify(body)}`
  return body.html !== pageHtml(page, site.pages) && `the body of ${href} differs from the served body`
}
