/**
 * A browser of ours renders the page. Its only way out is a session of the filtering proxy, one for each page, which
 * judges whatever the page asks for, counts it and ends with it.
 */
import type { Rendered, RenderJob, ResourceKind } from '@tidemark/browser/job'
import { RenderError } from '@tidemark/browser/render-error'
import type { ClientSettings } from '@tidemark/http/client'
import { type CountedWay, countedWay } from '@tidemark/http/counted-way'
import { FetchError } from '@tidemark/http/fetch-error'
import type { FilteringProxy } from '@tidemark/http/filtering-proxy'
import type { FilteringSession } from '@tidemark/http/filtering-session'
import type { ProxyServer } from '@tidemark/http/proxy'
import { parseTarget } from '@tidemark/http/target'
import type { HostClock } from '../adapters/host-clock.ts'
import { mayBeCheck } from '../domain/check-page.ts'
import { backOffOf } from '../domain/retry-after.ts'
import { refuseBlocked, whoLeaves } from '../handlers/ask.ts'
import type { Backend, Brought, ByOf, Came, Errand } from './backend.ts'
import { errorOfRender } from './browser-errors.ts'
import { type Carried, carriedTo } from './carried.ts'

export type Render = (job: RenderJob) => Promise<Rendered>

export type BrowserPorts = {
  /** Ready to render. @throws FetchError `not_configured` where no browser can be run */
  browser: () => Promise<Render>
  /** Its only way out. */
  proxy: FilteringProxy
  clients: ClientSettings
  /** By which what it may reach is reached; null: directly. */
  egress: ProxyServer | null
  clock: HostClock
  findBlocked: (url: string) => string | null
  /** The user agent that is shown in place of the browser's own. */
  nameOf: (wished: string | undefined) => string | undefined
  block: readonly ResourceKind[]
  /** That one page may move, with all that it loads. */
  mostBytes: number
  longestMs: number
}

type Question = Parameters<Backend>[0] & {
  /** The asker's own headers, `cookie` among them, for the site of the page. */
  own?: Carried
}

/** Of questions, and of orders of runs, whose `workId` is that of the run. */
export type BrowserBackend = (...asked: [Question, ByOf<'browser'>, Errand]) => Promise<Came>

const mostConnections = 64
/** Where no page is waited for any longer, but its answer is on its way. */
const graceMs = 2_000
/** For a check to let the browser through; most need five seconds. */
const checkMs = 8_000
const looks = { locale: 'en-US', viewport: { width: 1366, height: 768 } }

export function browserBackend(ports: BrowserPorts): BrowserBackend {
  return async (question, by, errand) => {
    const began = performance.now()
    const way = countedWay(ports.clients, ports.egress)
    try {
      const rendered = await visit({ ...ports, way }, question, by, errand)
      const fetched = broughtOf(rendered, question.maxHops)
      const { url, status, headers } = fetched
      const backOffMs = backOffOf(status, headers['retry-after'], Date.now())
      const behalf = behalfOf(question)
      if (backOffMs !== null) await ports.clock.backOff(whoLeaves(url, behalf), backOffMs)
      const elapsedMs = performance.now() - began
      return { fetched: { ...fetched, elapsedMs, moved: way.moved() }, backOffMs }
    } catch (thrown) {
      errand.signal.throwIfAborted()
      return { error: FetchError.from(thrown) }
    }
  }
}

async function visit(
  { proxy, way, ...ports }: BrowserPorts & { way: CountedWay },
  { workId, userAgent, own = {}, ...question }: Question,
  { waitFor, picture, isChecked }: ByOf<'browser'>,
  { maxBytes, signal, onSent, onAnswered }: Errand,
): Promise<Rendered> {
  const url = parseTarget(question.url)
  refuseBlocked(ports.findBlocked(url.href))
  const render = await ports.browser()
  const timeoutMs = Math.min(question.timeoutMs, ports.longestMs)
  const name = ports.nameOf(userAgent)
  await using session = proxy.session({
    way,
    judge: host => judged(() => refuseBlocked(ports.findBlocked(`http://${host}/`))),
    mostConnections,
    maxBytes: ports.mostBytes,
    timeoutMs: timeoutMs + graceMs,
    signal,
  })
  onSent()
  const rendered = await render({
    url: url.href,
    waitFor,
    timeoutMs,
    picture,
    ...(isChecked && { mayLeadOn: { is: mayBeCheck, forMs: checkMs } }),
    proxyLogin: { username: session.username, password: session.password },
    identity: { ...looks, ...(name !== undefined && { userAgent: name }) },
    ...carriedTo(url, own),
    block: ports.block,
    maxHtmlBytes: maxBytes,
    who: String(workId),
    signal,
  }).catch(thrown => {
    throw explained(session, url, thrown)
  })
  onAnswered()
  return rendered
}

/** Only whether they are there counts. */
const behalfOf = ({ workId, userAgent, own = {} }: Question) => ({
  runId: workId,
  ...(userAgent && { userAgent }),
  ...(Object.keys(own).length > 0 && { headers: '' }),
})

function judged(refuse: () => void): FetchError | null {
  try {
    refuse()
    return null
  } catch (thrown) {
    return FetchError.from(thrown)
  }
}

/** Codes behind which may stand that the proxy refused the document. */
const ofRefusal = new Set<RenderError['code']>(['proxy', 'connect', 'protocol', 'no_document'])

/** What the proxy refused says more than what the browser saw of it; a redirect's is the last one. */
function explained({ refusals, over }: FilteringSession, { hostname }: URL, thrown: unknown): FetchError {
  const error = RenderError.from(thrown)
  const refused = refusals.find(({ host }) => host === hostname) ?? refusals.at(-1)
  if (ofRefusal.has(error.code) && refused) return refused.error
  return over?.code === 'too_large' ? over : errorOfRender(error)
}

function broughtOf(rendered: Rendered, maxHops: number): Omit<Brought, 'elapsedMs'> {
  const { url, status, headers, hops, html, picture } = rendered
  if (hops.length > maxHops)
    throw new FetchError('too_many_redirects', { because: `after ${hops.length}`, target: url })
  return {
    url,
    status,
    hops,
    // It was read and is written anew, whatever it came in.
    headers: { ...headers, 'content-type': 'text/html; charset=utf-8' },
    sentAs: headers['content-type'] ?? null,
    body: Buffer.from(html),
    encodings: [],
    ...(picture && { picture }),
  }
}
