/**
 * Renders a page in the browser of this process, which connects only through a session of the filtering proxy. Each
 * page has its own session, which judges and counts the page's requests and ends with the page.
 */
import type { FindBlocked } from '@tidemark/blocklist/open'
import type { PageAction as RenderAction, Rendered, RenderJob, ResourceKind } from '@tidemark/browser/job'
import type { PageAction } from '@tidemark/contracts/http/cloud/page-action'
import type { SessionCookie } from '@tidemark/contracts/login/session'
import { binaryTypeOfText } from '@tidemark/html/binary-type'
import type { ClientSettings } from '@tidemark/http/client'
import { type CountedRoute, countedRoute } from '@tidemark/http/counted-route'
import { FetchError } from '@tidemark/http/fetch-error'
import type { FilteringProxy } from '@tidemark/http/filtering/filtering-proxy'
import type { ProxyServer } from '@tidemark/http/proxy'
import { parseTarget } from '@tidemark/http/target'
import type { SignRequest } from '@tidemark/http-signatures/web-bot-auth'
import { maxUrlLength } from '@tidemark/url/normal-form'
import type { HostClock } from '../adapters/host-clock.ts'
import { challengeWaitFor } from '../domain/check-page.ts'
import { isSignable } from '../domain/signable.ts'
import { tenantOf } from '../domain/tenant.ts'
import { keepBackOff, refuseBlocked } from '../handlers/send-request.ts'
import type { Backend, BackendPage, BackendResult, ByOf, RequestContext } from './backend.ts'
import { errorOfVisit } from './browser-errors.ts'
import { type Carried, carriedTo } from './carried.ts'

export type Render = (job: RenderJob) => Promise<Rendered>

export type BrowserPorts = {
  /**
   * Returns a function that renders, when the browser is ready.
   * @throws FetchError `not_configured` if no browser can run
   */
  browser: () => Promise<Render>
  /** The only proxy through which the browser connects. */
  proxy: FilteringProxy
  clients: ClientSettings
  /** The proxy of the egress; null for direct connections. */
  egress: ProxyServer | null
  clock: HostClock
  findBlocked: FindBlocked
  /** Returns the user agent that replaces the browser's own; undefined: the browser keeps its own. */
  nameOf: (wished: string | undefined) => string | undefined
  /** Signs the requests for documents; null: none is signed. */
  sign: SignRequest | null
  block: readonly ResourceKind[]
  /** Maximum traffic of one page with all its resources, in bytes. */
  maxBytes: number
  maxMs: number
}

type PageRequest = Parameters<Backend>[0] & {
  /** The client's own headers, including `cookie`, for the site of the page. */
  runHeaders?: Carried
  /** Cookies of the run's session that the page may receive. */
  session?: readonly SessionCookie[]
  /** Set if the actions are a login. The cookies of the browser are then returned. */
  login?: RenderJob['login']
}

/** Serves synchronous requests and orders of runs, whose `workId` is the id of the run. */
export type BrowserBackend = (
  ...call: [PageRequest, ByOf<'browser'>, RequestContext]
) => Promise<BackendResult>

const maxConnections = 64
/** Milliseconds after the deadline of a page for its result to arrive. */
const graceMs = 2_000
const looks = { locale: 'en-US', viewport: { width: 1366, height: 768 } }

export function browserBackend(ports: BrowserPorts): BrowserBackend {
  return async (request, by, context) => {
    const began = performance.now()
    const route = countedRoute(ports.clients, ports.egress)
    try {
      const { rendered, over } = await visit({ ...ports, route }, request, by, context)
      const page = pageOf(rendered, request.maxHops + (by.actions?.length ?? 0))
      const warnings = warningsOf(rendered, over, ports.maxBytes)
      const fetched = { ...page, ...(warnings.length > 0 && { warnings }) }
      const backOffMs = await keepBackOff(ports.clock, fetched, requesterOf(request))
      const elapsedMs = performance.now() - began
      return { fetched: { ...fetched, elapsedMs, moved: route.moved() }, backOffMs }
    } catch (thrown) {
      context.signal.throwIfAborted()
      return { error: FetchError.from(thrown) }
    }
  }
}

async function visit(
  { proxy, route, ...ports }: BrowserPorts & { route: CountedRoute },
  { workId, projectId, userAgent, runHeaders = {}, session = [], login, ...request }: PageRequest,
  { waitFor, picture, isChecked, actions = [] }: ByOf<'browser'>,
  { maxBytes, signal, onSent, onResponse }: RequestContext,
): Promise<{ rendered: Rendered; over: FetchError | null }> {
  const url = parseTarget(request.url)
  refuseBlocked(ports.findBlocked(url.href))
  const render = await ports.browser()
  const timeoutMs = Math.min(request.timeoutMs, ports.maxMs)
  const name = ports.nameOf(userAgent)
  await using passage = proxy.session({
    route,
    judge: host => judged(() => refuseBlocked(ports.findBlocked(`http://${host}/`))),
    maxConnections,
    maxBytes: ports.maxBytes,
    timeoutMs: timeoutMs + graceMs,
    signal,
  })
  onSent()
  const rendered = await render({
    url: url.href,
    waitFor,
    timeoutMs,
    picture,
    mayLeadOn: challengeWaitFor(isChecked ?? false),
    proxyLogin: { username: passage.username, password: passage.password },
    identity: { ...looks, ...(name !== undefined && { userAgent: name }) },
    ...carriedTo(url, runHeaders, session, isSignable({ userAgent }, runHeaders) ? ports.sign : null),
    ...(login && { login }),
    block: ports.block,
    ...(actions.length > 0 && { actions: actionsOf(actions, url.href) }),
    maxHtmlBytes: maxBytes,
    client: String(tenantOf({ workId, projectId })),
    signal,
  }).catch(thrown => {
    throw errorOfVisit(passage, url, thrown)
  })
  onResponse()
  return { rendered, over: passage.over }
}

/** Returns the actions for the browser. The gateway has checked that each one has its fields. */
const actionsOf = (actions: readonly PageAction[], base: string): RenderAction[] =>
  actions.map(({ type, selector = '', value = '', key = '', url = '', ms }): RenderAction => {
    if (type === 'goto') return { type, url: new URL(url, base).href }
    if (type === 'fill') return { type, selector, value }
    if (type === 'press') return { type, key, ...(selector !== '' && { selector }) }
    if (type === 'wait_for' && ms !== undefined) return { type: 'wait', ms }
    return type === 'screenshot' ? { type } : { type, selector }
  })

/** Returns the sender of a request, for `keepBackOff`. That function only checks whether own headers are present. */
const requesterOf = ({ workId, userAgent, runHeaders = {}, session = [], login }: PageRequest) => ({
  runId: workId,
  ...(userAgent && { userAgent }),
  ...((Object.keys(runHeaders).length > 0 || session.length > 0 || login) && { headers: '' }),
})

function judged(refuse: () => void): FetchError | null {
  try {
    refuse()
    return null
  } catch (thrown) {
    return FetchError.from(thrown)
  }
}

/**
 * Returns why the document may lack parts of the page. A network that never becomes idle is not a reason: some pages
 * poll forever.
 */
function warningsOf(
  { unreached, exceededRequests }: Rendered,
  over: FetchError | null,
  maxBytes: number,
): string[] {
  const exceeded = [
    ...(over?.code === 'too_large' ? [`${maxBytes} bytes`] : []),
    ...(exceededRequests === null ? [] : [`${exceededRequests} requests`]),
  ]
  if (exceeded.length > 0)
    return exceeded.map(limit => `the page exceeded the limit of ${limit}, so the rest was not loaded`)
  if (unreached === null || unreached === 'networkidle') return []
  return [`the page had not finished loading (${unreached}) when it was read`]
}

const warningOf = ({ height, pageHeight }: NonNullable<Rendered['pictureCut']>): string =>
  `the screenshot shows the first ${height} of ${pageHeight} pixels of the page's height`

const longAddress = `The page has an address of more than ${maxUrlLength} characters.`

/**
 * Returns the URL, without its fragment if it is too long with it; null if it is too long even then. The page chooses
 * path and fragment.
 */
function withinLength(url: string): string | null {
  if (url.length <= maxUrlLength) return url
  const [withoutFragment = ''] = url.split('#', 1)
  return withoutFragment.length <= maxUrlLength ? withoutFragment : null
}

/** The markup that a browser puts before the text of a page without other markup. */
const emptyHead = /^<html><head>(?:<meta[^<>]*>)?<\/head><body>/

function pageOf(rendered: Rendered, maxHops: number): Omit<BackendPage, 'elapsedMs'> {
  const { status, headers, hops, html, picture, pictureCut, cookies } = rendered
  const url = withinLength(rendered.url)
  if (url === null) throw new FetchError('too_large', { sentence: longAddress })
  if (hops.length > maxHops)
    throw new FetchError('too_many_redirects', { because: `after ${hops.length}`, target: url })
  const binary = binaryTypeOfText(html.replace(emptyHead, ''))
  return {
    url,
    status,
    // A page may redirect through an address of any length. Such a hop is left out, because the client does not need
    // it.
    hops: hops.flatMap(hop => {
      const url = withinLength(hop.url)
      return url === null ? [] : [{ ...hop, url }]
    }),
    // The document was parsed and serialized, whatever its original encoding. A picture that was sent as HTML is still
    // not HTML.
    headers: { ...headers, 'content-type': binary ?? 'text/html; charset=utf-8' },
    sentAs: binary ?? headers['content-type'] ?? null,
    body: Buffer.from(html),
    encodings: [],
    ...(picture && { picture }),
    ...(pictureCut && { pictureWarning: warningOf(pictureCut) }),
    ...(cookies && { cookies }),
  }
}
