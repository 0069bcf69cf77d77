/**
 * Whenever pages or a robots.txt are ordered, tell the fetchers. The messages are a pure function of the run
 * and of what was ordered, so those of a crashed process can be made again under the same ids.
 */
import type { RunEvent } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { FetchOrder } from '@tidemark/contracts/work/fetch'
import { urlKey } from '@tidemark/url/key'
import type { OrderMessage } from '../adapters/send-orders.ts'
import { isHome } from '../domain/home.ts'
import { delayOf, keysOut } from '../domain/orders.ts'
import { mayBeUnchanged, revisitsOf } from '../domain/revisits.ts'
import { originOf, type Running } from '../domain/run.ts'

/** The messages that these events ask for. */
export function messagesFor(run: Running, events: RunEvent[]): OrderMessage[] {
  return events.flatMap(({ type, data }) => {
    if (type === 'PagesOrdered')
      return data.messages.map(({ number, keys }) => pagesMessage(run, number, keys))
    if (type === 'SitemapOrdered') return [sitemapMessage(run, data.key, data)]
    return type === 'RobotsOrdered' ? [robotsMessage(run, data.origin, data.attempt)] : []
  })
}

/** The messages of everything that is out, for a run that was read again from its stream. */
export function messagesOut(run: Running): OrderMessage[] {
  const robots = [...run.robots].flatMap(([origin, known]) =>
    known.state === 'ordered' ? [robotsMessage(run, origin, known.attempt)] : [],
  )
  const sitemaps = [...run.sitemaps].flatMap(([key, sitemap]) =>
    sitemap.state === 'ordered' ? [sitemapMessage(run, key, sitemap)] : [],
  )
  return [
    ...robots,
    ...sitemaps,
    ...Array.from(keysOut(run), ([number, keys]) => pagesMessage(run, number, keys)),
  ]
}

function pagesMessage(run: Running, number: number, keys: string[]): OrderMessage {
  const orders = keys.flatMap((key): FetchOrder[] => {
    const pending = run.pending.get(key)
    return pending ? [{ kind: 'page', key, url: pending.found.url, attempt: pending.attempt }] : []
  })
  const known = keys.filter(key => mayBeUnchanged(run, key))
  const lane = run.pending.get(keys[0] ?? '')?.lane ?? 'http'
  return { ...message(run, `${run.runId}.${number}`, orders), lane, known }
}

function robotsMessage(run: Running, origin: string, attempt: number): OrderMessage {
  const url = `${origin}/robots.txt`
  const key = urlKey(url)
  return message(run, `${run.runId}.robots.${key}.${attempt}`, [{ kind: 'robots', key, url, attempt }])
}

function sitemapMessage(run: Running, key: string, { url, attempt }: { url: string; attempt: number }) {
  return message(run, `${run.runId}.sitemap.${key}.${attempt}`, [{ kind: 'sitemap', key, url, attempt }])
}

function message(run: Running, id: string, orders: FetchOrder[]): OrderMessage {
  const { runId, projectId, scope, settings, trace } = run
  const origin = originOf(orders[0]?.url ?? '')
  const delayMs = delayOf(run, origin)
  const { concurrency, storeHtml } = settings
  const about = { runId, projectId, scope, delayMs, concurrency, storeHtml }
  const own = isHome(run.url, origin) ? ownOf(settings) : {}
  const all = { ...about, ...own, ...appearanceOf(settings), ...revisitsOf(run), orders }
  return { id, lane: 'http', trace, orders: all, known: [] }
}

const ownOf = ({ headers, cookies }: RunSettings) => ({
  ...(headers && { headers }),
  ...(cookies && { cookies }),
})

/** How the run's requests look, and by which way they go. */
function appearanceOf({ userAgent, proxy, proxyPool }: RunSettings) {
  return {
    ...(userAgent && { userAgent }),
    ...(proxy && { proxy: proxy.sealed }),
    ...(proxyPool && !proxy && { proxyPool }),
  }
}
