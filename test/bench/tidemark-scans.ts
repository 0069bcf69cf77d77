/** The site's pages as scans: one after the other, or as bulk scans. */
import { setTimeout as sleep } from 'node:timers/promises'
import { urlsOf } from './list-of-urls.ts'
import type { Work } from './tidemark-round.ts'

/** The first scans of a process are compiled while they run. They are not timed. */
const warmUp = 30
/** Maximum number of URLs of one bulk scan (specification, `POST /v1/scan/bulk`). */
const perBatch = 100
const batchesAtOnce = 2

/** Throws if a scan fails. */
export const scanWork: Work = async ({ system: { call }, key, site, signal, timed }) => {
  const urls = urlsOf(site)
  const scan = async (url: string): Promise<number> => {
    signal.throwIfAborted()
    const began = performance.now()
    const { status, body } = await call(key, 'POST', '/v1/scan', { url })
    if (status !== 200 || body.status !== 200)
      throw new Error(`The scan of ${url} got ${status}: ${JSON.stringify(body).slice(0, 300)}`)
    return performance.now() - began
  }
  for (const url of urls.slice(0, warmUp)) await scan(url)
  const waits: number[] = []
  await timed(async () => {
    for (const url of urls.slice(warmUp)) waits.push(await scan(url))
  })
  return { pages: waits.length, bytes: (site.bytes * waits.length) / site.pages, waits }
}

/** Returns the work of bulk scans with these fields beside `urls`. It throws if a page fails. */
export const bulkWork =
  (fields: object): Work =>
  async ({ system: { call }, key, site, concurrency, signal, timed }) => {
    const urls = urlsOf(site)
    const batches = Array.from({ length: Math.ceil(urls.length / perBatch) }, (_, batch) =>
      urls.slice(batch * perBatch, (batch + 1) * perBatch),
    )
    let pages = 0
    const send = async (): Promise<void> => {
      for (let batch = batches.shift(); batch; batch = batches.shift()) {
        signal.throwIfAborted()
        const request = { urls: batch, concurrency: Math.ceil(concurrency / batchesAtOnce), ...fields }
        const { status, headers, body } = await call(key, 'POST', '/v1/scan/bulk', request)
        if (status === 429) {
          batches.push(batch)
          await sleep(Number(headers.get('retry-after')) * 1000, null, { signal })
          continue
        }
        if (status !== 200) throw new Error(`POST /v1/scan/bulk answered ${status}: ${JSON.stringify(body)}`)
        const failed = body.items.find(({ ok }: { ok: boolean }) => !ok)
        if (failed) throw new Error(`A page failed: ${JSON.stringify(failed).slice(0, 300)}`)
        pages += body.items.length
      }
    }
    await timed(() => Promise.all(Array.from({ length: batchesAtOnce }, send)))
    if (pages !== site.pages) throw new Error(`${pages} of ${site.pages} pages were scanned.`)
    return { pages, bytes: site.bytes }
  }
