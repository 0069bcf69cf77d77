/**
 * Webhooks to a receiver on loopback. Tidemark redelivers dead webhooks and records every attempt, and the floor sends
 * the same number of signed requests.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, startChild } from './child.ts'
import type { Posts } from './floor-webhooks.ts'
import type { Round, Site } from './round.ts'
import type { Work } from './tidemark-round.ts'
import { startWatch } from './watch.ts'

const [accepts, isGone] = [200, 410]
const betweenPollsMs = 20
const crawlsAtOnce = 4
const floorConcurrency = 32

/** Sends a webhook for each page of the site. Throws if the receiver got a wrong number of requests. */
export async function webhooksFloor(site: Site): Promise<Round> {
  await using receiver = startChild('receiver-server.ts')
  const { url } = await receiver.receive<{ url: string }>()
  await requestsOf(receiver, accepts)
  await using floor = startChild('floor-webhooks.ts', String(floorConcurrency))
  await floor.receive()
  const stop = startWatch({ roots: [floor.pid], nodes: [floor.pid], aside: [receiver.pid] })
  await floor.request({ url, count: site.pages } satisfies Posts)
  const used = stop()
  const requests = await requestsOf(receiver, accepts)
  if (requests !== site.pages) throw new Error(`The receiver got ${requests} of ${site.pages} requests.`)
  return { peer: 'floor', pages: site.pages, bytes: 0, ...used, requests }
}

/**
 * Crawls one page for each page of the site with a webhook that its receiver refuses for good, and measures their
 * redelivery, from the request to the last delivery. Throws if a webhook is not delivered exactly once.
 */
export const webhooksWork: Work = async ({ system, key, site, signal, timed }) => {
  const { call } = system
  await using receiver = startChild('receiver-server.ts')
  const { url } = await receiver.receive<{ url: string }>()
  const since = new Date().toISOString()
  let left = site.pages
  const crawl = async () => {
    while (left-- > 0) {
      signal.throwIfAborted()
      const request = { url: `${site.origins[0]}/`, max_pages: 1, delay_ms: 0, webhook_url: url }
      await system.crawl(key, request)
    }
  }
  await Promise.all(Array.from({ length: crawlsAtOnce }, crawl))
  const refused = await untilRequests(receiver, isGone, site.pages, signal)
  await timed(async () => {
    await requestsOf(receiver, accepts)
    for (let dead = site.pages; dead > 0; ) {
      const { status, body } = await call(key, 'POST', '/v1/webhook/redeliver', { since })
      if (status !== 202) throw new Error(`The redelivery got ${status}: ${JSON.stringify(body)}`)
      dead -= body.redelivered
      if (body.redelivered === 0) await sleep(betweenPollsMs, null, { signal })
    }
    await untilRequests(receiver, accepts, refused + site.pages, signal)
  })
  const requests = (await requestsOf(receiver, accepts)) - refused
  if (requests !== site.pages) throw new Error(`${requests} requests for ${site.pages} webhooks.`)
  return { pages: site.pages, bytes: 0 }
}

/** Sets the receiver's status, and returns its count of requests. */
const requestsOf = async (receiver: Child, status: number): Promise<number> =>
  (await receiver.request<{ requests: number }>(status)).requests

async function untilRequests(receiver: Child, status: number, count: number, signal: AbortSignal) {
  for (;;) {
    const requests = await requestsOf(receiver, status)
    if (requests >= count) return requests
    await sleep(betweenPollsMs, null, { signal })
  }
}
