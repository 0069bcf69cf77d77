/**
 * The events of a crawl run. Each run has one subject (`runs.<shard>.<id>.crawl`), written by crawl-coordinator
 * alone. Pages, bills, webhooks and progress are views of it.
 */
import { type Static, Type } from 'typebox'
import { Again, commitOf, fact } from './commit.ts'
import { loginFacts } from './login/events.ts'
import { Id, oneOf, orNull, Sha256, Tier, Timestamp, UrlKey } from './primitives.ts'
import { DeferringLimit, StopReason } from './run-ends.ts'
import { MonitorTick, RunSettings } from './run-settings.ts'
import { RobotsGroup } from './site-file.ts'
import { FailedPage } from './work/failed-page.ts'
import { Peer } from './work/peer.ts'
import { Carried, NotModified, StoredAnswer } from './work/revisit.ts'

/** The rules by which a URL looks like part of an endless series (docs: traps). */
export const TrapRule = oneOf([
  'path_repetition',
  'path_depth',
  'calendar',
  'parameters',
  'session_id',
  'equal_content',
])
export type TrapRule = Static<typeof TrapRule>

/** The hosts of a run: that of the seed, and its subdomains on request. A default port is left out. */
export const Scope = Type.Object({ host: Type.String(), subdomains: Type.Boolean() })
export type Scope = Static<typeof Scope>
/** A URL that the run has judged, and the page or redirect by which it was found. */
export const FoundUrl = Type.Object({
  key: UrlKey,
  url: Type.String(),
  depth: Type.Integer({ minimum: 0 }),
  from: orNull(UrlKey),
  /** Number of consecutive redirects that led here; 0 for a link. */
  hops: Type.Integer({ minimum: 0 }),
  /** The URL that was requested first, before redirects. */
  requestedUrl: Type.Optional(Type.String()),
})
export type FoundUrl = Static<typeof FoundUrl>
/** A URL without a page, and the page that links to it. */
const linkedUrl = { key: UrlKey, url: Type.String(), from: orNull(UrlKey) }
/** The response of a page. */
export const PageResponse = Type.Object({
  status: Type.Integer(),
  bytes: Type.Integer(),
  fetchedAt: Timestamp,
  contentType: orNull(Type.String()),
  title: orNull(Type.String()),
  contentHash: Sha256,
  rawHash: Sha256,
  comparisonHash: Type.Optional(Sha256),
  /** Likeness of the visible text without links and numbers of its own URL, to detect pages that only look new. */
  likeness: Type.Optional(Type.String()),
  /** The origin returned a challenge instead of the page, which costs nothing. */
  blocked: Type.Optional(Type.Literal(true)),
  /** Number of the attempt that fetched the page; absent: the first. */
  attempt: Type.Optional(Type.Integer({ minimum: 2 })),
  /** The origin answered 304 and did not send the page again. `status` is that of the earlier response. */
  notModified: Type.Optional(NotModified),
  /** A fork has taken the page from the store. It costs nothing. */
  carried: Type.Optional(Carried),
  /** The page is the document in the browser after its scripts had run. */
  rendered: Type.Optional(Type.Literal(true)),
  peer: Type.Optional(Peer),
})
export type PageResponse = Static<typeof PageResponse>
export const SettledPage = Type.Object({
  key: UrlKey,
  id: Id,
  url: Type.String(),
  requestedUrl: orNull(Type.String()),
  depth: Type.Integer(),
  ...PageResponse.properties,
})
export type SettledPage = Static<typeof SettledPage>

/** Number of judged URLs by outcome: `discovered` is the sum of all others. */
export const Totals = Type.Object({
  discovered: Type.Integer(),
  fetched: Type.Integer(),
  failed: Type.Integer(),
  skipped: Type.Integer(),
  duplicate: Type.Integer(),
  notReached: Type.Integer(),
  pending: Type.Integer(),
})
export type Totals = Static<typeof Totals>

const Price = Type.Integer({ minimum: 0 })
export const UnitPrices = Type.Object({ page: Price, cloud_page: Price })
export type UnitPrices = Static<typeof UnitPrices>

export const RunEvent = Type.Union([
  fact('RunQueued', {
    runId: Id,
    projectId: Id,
    tier: Tier,
    url: Type.String(),
    settings: RunSettings,
    tick: Type.Optional(MonitorTick),
    /** Price of a unit in millionths of a US dollar, if the run has a maximum cost. */
    unitPrices: Type.Optional(UnitPrices),
  }),
  fact('RunStarted', { scope: Scope }),
  /** The client pauses the run: it orders nothing until it resumes. Orders in flight finish. */
  fact('RunPaused', {}),
  fact('RunResumed', {}),
  /**
   * The seed redirected to another host, which becomes the host of the run. If `scope` equals the current one, an
   * undecided move ends without a change.
   */
  fact('ScopeMoved', { scope: Scope }),
  /** Each URL reserves one page of the run's `maxPages`. */
  fact('PagesAdmitted', { pages: Type.Array(FoundUrl) }),
  /** URLs that are allowed but beyond a limit. They are reached only by a returned slot or a shorter path. */
  fact('PagesDeferred', {
    limit: DeferringLimit,
    pages: Type.Array(FoundUrl),
  }),
  /** `rule` is a line of robots.txt (cut to 200 characters), or the target of a redirect. */
  fact('PagesSkipped', {
    reason: oneOf(['robots', 'robots_unreachable', 'redirect_out_of_scope']),
    pages: Type.Array(Type.Object({ ...linkedUrl, rule: orNull(Type.String()) })),
  }),
  /** URLs that the client's patterns exclude. `pattern`: the deciding one, cut to 200 characters; null: none includes it. */
  fact('PagesFiltered', {
    by: oneOf(['include', 'exclude']),
    pages: Type.Array(Type.Object({ ...linkedUrl, pattern: orNull(Type.String()) })),
  }),
  /** URLs that look like a trap. `because` explains it with the numbers that decided. */
  fact('PagesPruned', {
    rule: TrapRule,
    pages: Type.Array(Type.Object({ ...linkedUrl, because: Type.String() })),
  }),
  /** The run has reached its maximum number of known URLs. URLs found from now on are not judged. */
  fact('FrontierFilled', { known: Type.Integer() }),
  /** Parts of long lists of links that arrived before their pages, and whose links have been judged. */
  fact('LinksFollowed', {
    parts: Type.Array(Type.Object({ key: UrlKey, part: Type.Integer(), links: Type.Integer() })),
  }),
  /** The run requested a sitemap. `depth` is the number of indexes above it. */
  fact('SitemapOrdered', {
    key: UrlKey,
    url: Type.String(),
    depth: Type.Integer({ minimum: 0 }),
    attempt: Type.Integer(),
    again: Again,
  }),
  /** `urls` are in scope. An index redirects to `mayMoveTo`: the first of its sitemaps with URLs decides the move. */
  fact('SitemapRead', {
    key: UrlKey,
    url: Type.String(),
    status: Type.Integer(),
    urls: Type.Integer(),
    /** Sitemaps of an index that are to be read, each as its key and normal form. They were not known before. */
    sitemaps: Type.Array(Type.Tuple([UrlKey, Type.String()])),
    /** The part that was left out, such as `more than 50000 addresses`; null: all of it was read. */
    cut: orNull(Type.String()),
    mayMoveTo: Type.Optional(Scope),
  }),
  fact('SitemapFailed', { key: UrlKey, url: Type.String(), reason: Type.String() }),
  /** The sitemap could not be fetched and is retried later. */
  fact('SitemapRetried', { key: UrlKey, attempt: Type.Integer(), notBefore: Timestamp }),
  /** The run requested the robots.txt of the origin. Its pages wait for the verdict. */
  fact('RobotsOrdered', { origin: Type.String(), attempt: Type.Integer(), again: Again }),
  fact('RobotsRead', {
    origin: Type.String(),
    status: Type.Integer(),
    /** RFC 9309, 2.3.1: rules if it could be read, all allowed on 4xx, all disallowed on 5xx. */
    verdict: oneOf(['rules', 'allow_all', 'disallow_all']),
    group: RobotsGroup,
    bodyHash: orNull(Sha256),
  }),
  fact('RobotsFailed', { origin: Type.String(), reason: Type.String() }),
  /** The robots.txt could not be read and is retried later. */
  fact('RobotsRetried', { origin: Type.String(), attempt: Type.Integer(), notBefore: Timestamp }),
  /**
   * Orders for the fetchers, one message of FETCH each. The number counts within the run and makes the message id.
   */
  fact('PagesOrdered', {
    messages: Type.Array(
      Type.Object({
        number: Type.Integer(),
        keys: Type.Array(UrlKey),
        again: Again,
        /** Bytes that each of its bodies reserves of the run's maximum; absent: it has none. */
        maxBytes: Type.Optional(Type.Integer({ minimum: 1 })),
        /** The pages of a fork that are taken from the store instead of their origins, in the order of `keys`. */
        stored: Type.Optional(Type.Array(StoredAnswer)),
      }),
    ),
  }),
  fact('PagesSettled', { pages: Type.Array(SettledPage) }),
  /** A redirect to another URL of the run: no page, nothing billed. */
  fact('PagesDuplicated', { pages: Type.Array(Type.Object({ key: UrlKey, of: UrlKey })) }),
  fact('PagesRetried', {
    pages: Type.Array(
      Type.Object({
        key: UrlKey,
        reason: Type.String(),
        attempt: Type.Integer(),
        notBefore: Timestamp,
        /** The lane of the next attempts. */
        lane: Type.Optional(oneOf(['http', 'browser'])),
        /** The 5xx response of a page that is retried at the end of the run. It counts without a second response. */
        answer: Type.Optional(PageResponse),
      }),
    ),
  }),
  ...loginFacts,
  fact('PagesFailed', { pages: Type.Array(FailedPage) }),
  fact('RunFinished', {
    status: oneOf(['done', 'failed', 'cancelled']),
    stopReason: StopReason,
    errorMessage: orNull(Type.String()),
    /** Stable code of the message. */
    errorReason: Type.Optional(Type.String()),
    totals: Totals,
    /** Number of fetched pages that are challenges, which cost nothing; absent: none. */
    blocked: Type.Optional(Type.Integer()),
    /** Number of other fetched pages that a browser rendered; absent: none. */
    rendered: Type.Optional(Type.Integer()),
    /** Number of pages that a fork has taken from the store, which count neither as blocked nor as rendered; absent: none. */
    carried: Type.Optional(Type.Integer()),
    /** Number of requests that the end has probably dropped; absent: none. They cost nothing, and are free results. */
    dropped: Type.Optional(Type.Integer()),
    /** Number of reopenings before this end; absent: none. */
    reopenings: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Sitemaps that `max_pages` kept the run from reading; absent: the end has another reason, or is older than this field. */
    unreadSitemaps: Type.Optional(Type.Array(UrlKey)),
    /** Sitemaps that the run read in part because of a fault; absent: none, or the end is older than this field. */
    faultySitemaps: Type.Optional(Type.Array(UrlKey)),
  }),
  /** A client retries an ended run: its first `retried` failed URLs, in the order they failed, and failed sitemaps. `nth`: from 1. */
  fact('RunReopened', { nth: Type.Integer({ minimum: 1 }), retried: Type.Integer({ minimum: 0 }) }),
  /** The last event of a run: its rows, bodies and events are deleted. Bills stay. */
  fact('RunDeleted', {
    projectId: Id,
    billedPages: Type.Integer(),
    billedCloudPages: Type.Optional(Type.Integer()),
  }),
])
export type RunEvent = Static<typeof RunEvent>
export type RunEventData<Name extends RunEvent['type']> = Extract<RunEvent, { type: Name }>['data']
export const RunCommit = commitOf(RunEvent)
export type RunCommit = Static<typeof RunCommit>
