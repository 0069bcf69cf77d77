/**
 * Sends orders to the fetchers when pages or a robots.txt are ordered. The messages are a pure function of the run and
 * its events, so the messages of a crashed process can be rebuilt with the same ids.
 */
import type { RunEvent } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { type FetchOrder, type FetchOrders, maxBodyBytes } from '@tidemark/contracts/work/fetch'
import { urlKey } from '@tidemark/url/key'
import type { OrderMessage } from '../adapters/send-orders.ts'
import { baseOf } from '../domain/fork/stored-pages.ts'
import { delayOf } from '../domain/host-rate.ts'
import { loginKey } from '../domain/login/login.ts'
import { keysOut } from '../domain/queues.ts'
import { attemptsOf, earlierThan } from '../domain/retry.ts'
import { receivesHeaders } from '../domain/robots.ts'
import { originOf, type Pending, type Running } from '../domain/run.ts'

/** Returns the messages of these events. */
export function messagesFor(run: Running, events: RunEvent[]): OrderMessage[] {
  return events.flatMap(({ type, data }) => {
    if (type === 'PagesOrdered')
      return data.messages.map(({ number, keys }) => pagesMessage(run, number, keys))
    if (type === 'SitemapOrdered') return [sitemapMessage(run, data.key, data)]
    if (type === 'LoginOrdered') return [loginMessage(run, data.attempt)]
    return type === 'RobotsOrdered' ? [robotsMessage(run, data.origin, data.attempt)] : []
  })
}

/** Returns the messages of all orders in flight, for a run that was read again from its stream. */
export function messagesOut(run: Running): OrderMessage[] {
  const robots = [...run.robots].flatMap(([origin, known]) =>
    known.state === 'ordered' ? [robotsMessage(run, origin, known.attempt)] : [],
  )
  const sitemaps = [...run.sitemaps].flatMap(([key, sitemap]) =>
    sitemap.state === 'ordered' ? [sitemapMessage(run, key, sitemap)] : [],
  )
  const { login } = run
  return [
    ...(login?.state === 'ordered' ? [loginMessage(run, login.attempt)] : []),
    ...robots,
    ...sitemaps,
    ...Array.from(keysOut(run), ([number, keys]) => pagesMessage(run, number, keys)),
  ]
}

function pagesMessage(run: Running, number: number, keys: string[]): OrderMessage {
  const orders = keys.flatMap((key): FetchOrder[] => {
    const pending = run.pending.get(key)
    if (!pending) return []
    const { found, attempt, earlier, answer } = pending
    const about = { key, url: found.url, attempt, ...uncounted(earlier) }
    const order: FetchOrder = { kind: 'page', ...about, ...storedOf(run, pending) }
    return [answer === undefined ? order : { ...order, isRecheck: true }]
  })
  const known = keys.filter(key => mayBeUnchanged(run, key))
  const lane = run.pending.get(keys[0] ?? '')?.lane ?? 'http'
  const session = run.login?.attempt
  const { id, ...rest } = message(run, `${run.runId}.${number}`, orders)
  // A first response can have more decoded bytes than a body on the wire may have.
  const maxBytes = Math.min(run.pending.get(keys[0] ?? '')?.bytes ?? 0, maxBodyBytes)
  const limited = run.bytes && maxBytes > 0 ? { orders: { ...rest.orders, maxBytes } } : {}
  return { id, ...rest, ...limited, lane, known, ...(session !== undefined && { session }) }
}

/** Returns the number of attempts that do not count, if there are any. */
const uncounted = (earlier = 0): Pick<FetchOrder, 'earlier'> => (earlier > 0 ? { earlier } : {})

/** Returns the page of the run that this one forks, if the order is taken from there. */
function storedOf(run: Running, { order }: Pending): Pick<FetchOrder, 'stored'> {
  const base = baseOf(run)
  return order?.stored && base !== null ? { stored: { runId: base, ...order.stored } } : {}
}

function robotsMessage(run: Running, origin: string, attempt: number): OrderMessage {
  const url = `${origin}/robots.txt`
  const key = urlKey(url)
  return message(run, `${run.runId}.robots.${key}.${attempt}`, [{ kind: 'robots', key, url, attempt }])
}

/** Returns the order of the login, with sealed steps. It is at the seed, whose host has the login. */
function loginMessage(run: Running, attempt: number): OrderMessage {
  const order = { kind: 'login' as const, key: loginKey, url: run.url, attempt }
  const { orders, ...rest } = message(run, `${run.runId}.login.${attempt}`, [order])
  const { steps } = run.settings.login ?? {}
  return { ...rest, lane: 'browser', orders: { ...orders, ...(steps && { login: steps }) } }
}

function sitemapMessage(run: Running, key: string, { url, attempt }: { url: string; attempt: number }) {
  const about = { key, url, attempt, ...uncounted(earlierThan('sitemap', attempt)) }
  return message(run, `${run.runId}.sitemap.${key}.${attempt}`, [{ kind: 'sitemap', ...about }])
}

function message(run: Running, id: string, orders: FetchOrder[]): OrderMessage {
  const { runId, projectId, scope, settings, trace } = run
  const origin = originOf(orders[0]?.url ?? '')
  const delayMs = delayOf(run, origin)
  const { concurrency, storeHtml, comparison, screenshots, login } = settings
  const loggedOut = login?.loggedOut.selector
  const rules = {
    ...(comparison && { comparison }),
    ...(screenshots && { screenshots }),
    ...(loggedOut !== undefined && { loggedOut }),
  }
  const about = { runId, projectId, scope, delayMs, concurrency, storeHtml, ...rules }
  const own = receivesHeaders(run, origin) ? ownOf(settings) : {}
  const all = { ...about, ...own, ...appearanceOf(settings), ...revisitsOf(run), orders }
  return { id, lane: 'http', trace, orders: all, known: [] }
}

/** Returns the earlier run whose pages a monitor's run may reuse, unless its client has turned that off. */
const revisitsOf = ({ tick, settings }: Running): Pick<FetchOrders, 'revisits'> =>
  tick && settings.conditional !== false ? { revisits: { since: tick.previousRunId } } : {}

/** Returns whether a page may be requested conditionally. The last attempt is not, because the copy may be deleted. */
function mayBeUnchanged({ tick, settings, pending }: Running, key: string): boolean {
  if (!tick?.previousRunId || settings.conditional === false) return false
  const page = pending.get(key)
  return page !== undefined && page.lane !== 'browser' && !page.isStale && isBeforeLast(page)
}

const isBeforeLast = ({ attempt, earlier = 0 }: Pending): boolean => attempt - earlier < attemptsOf('page')

const ownOf = ({ headers, cookies }: RunSettings) => ({
  ...(headers && { headers }),
  ...(cookies && { cookies }),
})

/** Returns the identity of the run's requests, and their route. */
function appearanceOf({ userAgent, proxy, proxyPool }: RunSettings) {
  return {
    ...(userAgent && { userAgent }),
    ...(proxy && { proxy: proxy.sealed }),
    ...(proxyPool && !proxy && { proxyPool }),
  }
}
