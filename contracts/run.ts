/**
 * A crawl run: everything that can happen to it. One subject a run (`runs.<shard>.<id>.crawl`), written
 * by crawl-coordinator alone; pages, bills, webhooks and progress are views of it.
 */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id, orNull, Sha256, Tier, Timestamp, UrlKey } from './primitives.ts'
import { MonitorTick, RunSettings } from './run-settings.ts'
import { NotModified } from './work/revisit.ts'

/** What makes a URL look like one of endlessly many (docs: traps). */
export const TrapRule = Type.Union([
  Type.Literal('path_repetition'),
  Type.Literal('path_depth'),
  Type.Literal('calendar'),
  Type.Literal('parameters'),
  Type.Literal('session_id'),
  Type.Literal('equal_content'),
])
export type TrapRule = Static<typeof TrapRule>

/** Which hosts belong to a run: the seed's, and its subdomains if asked for. A default port is left out. */
export const Scope = Type.Object({ host: Type.String(), subdomains: Type.Boolean() })
export type Scope = Static<typeof Scope>

/** A URL that the run has judged, and how it was found: by which page, or by which redirect. */
export const FoundUrl = Type.Object({
  key: UrlKey,
  url: Type.String(),
  depth: Type.Integer({ minimum: 0 }),
  from: orNull(UrlKey),
  /** Redirects that led here one after another; 0 for a link. */
  hops: Type.Integer({ minimum: 0 }),
  /** The URL that was asked for before redirects led here. */
  requestedUrl: Type.Optional(Type.String()),
})
export type FoundUrl = Static<typeof FoundUrl>
/** What came of a request for a page. */
export const PageAnswer = Type.Object({
  status: Type.Integer(),
  bytes: Type.Integer(),
  fetchedAt: Timestamp,
  contentType: orNull(Type.String()),
  title: orNull(Type.String()),
  contentHash: Sha256,
  rawHash: Sha256,
  /** Of what a reader sees besides links and the numbers of its own address: equal for pages that only look new. */
  likeness: Type.Optional(Type.String()),
  /** The origin showed a challenge instead of its page: nothing is billed. */
  blocked: Type.Optional(Type.Literal(true)),
  /** Which one had it; left out where it was the first. */
  attempt: Type.Optional(Type.Integer({ minimum: 2 })),
  /** The origin did not send it again: it answered 304, and `status` is that of then. */
  notModified: Type.Optional(NotModified),
  /** It is the document as a browser left it, after its scripts had run. */
  rendered: Type.Optional(Type.Literal(true)),
})
export type PageAnswer = Static<typeof PageAnswer>
export const SettledPage = Type.Object({
  key: UrlKey,
  id: Id,
  url: Type.String(),
  requestedUrl: orNull(Type.String()),
  depth: Type.Integer(),
  ...PageAnswer.properties,
})
export type SettledPage = Static<typeof SettledPage>

/** Why a run ended: nothing left, a limit, a wish, or a seed that could not be had. */
export const StopReason = Type.Union([
  Type.Literal('exhausted'),
  Type.Literal('max_pages'),
  Type.Literal('depth'),
  Type.Literal('quota'),
  Type.Literal('time_limit'),
  Type.Literal('pattern_time'),
  Type.Literal('cancelled'),
  Type.Literal('failed'),
])
export type StopReason = Static<typeof StopReason>

/** Where each judged URL ended: discovered is the sum of all the others. */
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

/** Of a run that is done, whether a limit ended it before its first page: then it says nothing of its site. */
export const isCutEmpty = ({ stopReason, totals }: { stopReason: string; totals: Pick<Totals, 'fetched'> }) =>
  totals.fetched === 0 && cutsShort(stopReason)

/** Whether a run with this stop reason ended before it was through with its site. */
export const cutsShort = (stopReason: string): boolean =>
  stopReason === 'quota' || stopReason === 'time_limit' || stopReason === 'pattern_time'

export const RobotsGroup = Type.Object({
  rules: Type.Array(Type.Object({ allow: Type.Boolean(), pattern: Type.String() })),
  crawlDelay: orNull(Type.Number()),
  /** The name that the rules stand under; left out where no group is for the crawler, and by earlier versions. */
  agent: Type.Optional(Type.String()),
})
export type RobotsGroup = Static<typeof RobotsGroup>

/**
 * Of an order: how often it had been handed out before without any answer, good or bad. It is the same attempt in a
 * message of the same name.
 */
const Again = Type.Optional(Type.Integer({ minimum: 1 }))

export const RunEvent = Type.Union([
  fact('RunQueued', {
    runId: Id,
    projectId: Id,
    tier: Tier,
    url: Type.String(),
    settings: RunSettings,
    tick: Type.Optional(MonitorTick),
  }),
  fact('RunStarted', { scope: Scope }),
  /** The seed answered with a redirect to another host, which the run now belongs to. */
  fact('ScopeMoved', { scope: Scope }),
  /** Each of these reserves one of the run's `maxPages`. */
  fact('PagesAdmitted', { pages: Type.Array(FoundUrl) }),
  /** Judged and wanted, but beyond a limit: reached only if a slot is returned or a shorter way found. */
  fact('PagesDeferred', {
    limit: Type.Union([Type.Literal('max_pages'), Type.Literal('depth')]),
    pages: Type.Array(FoundUrl),
  }),
  /** `rule` is a line of robots.txt (cut after 200 characters), or where a redirect led. */
  fact('PagesSkipped', {
    reason: Type.Union([
      Type.Literal('robots'),
      Type.Literal('robots_unreachable'),
      Type.Literal('redirect_out_of_scope'),
    ]),
    pages: Type.Array(
      Type.Object({ key: UrlKey, url: Type.String(), from: orNull(UrlKey), rule: orNull(Type.String()) }),
    ),
  }),
  /**
   * The client's own patterns keep these out. `pattern` is the one that decided, cut after 200 characters; null where
   * none of the includes matched.
   */
  fact('PagesFiltered', {
    by: Type.Union([Type.Literal('include'), Type.Literal('exclude')]),
    pages: Type.Array(
      Type.Object({ key: UrlKey, url: Type.String(), from: orNull(UrlKey), pattern: orNull(Type.String()) }),
    ),
  }),
  /** These look like a trap; `because` says it in words with the numbers that decided. */
  fact('PagesPruned', {
    rule: TrapRule,
    pages: Type.Array(
      Type.Object({ key: UrlKey, url: Type.String(), from: orNull(UrlKey), because: Type.String() }),
    ),
  }),
  /** The run knows as many URLs as it can hold: what is found from now on is not judged. */
  fact('FrontierFilled', { known: Type.Integer() }),
  /** Parts of long lists of links that came ahead of their pages, and whose links have been judged. */
  fact('LinksFollowed', {
    parts: Type.Array(Type.Object({ key: UrlKey, part: Type.Integer(), links: Type.Integer() })),
  }),
  /** A sitemap is being asked for. `depth` counts the indexes above it. */
  fact('SitemapOrdered', {
    key: UrlKey,
    url: Type.String(),
    depth: Type.Integer({ minimum: 0 }),
    attempt: Type.Integer(),
    again: Again,
  }),
  /** How many of its addresses are in scope, and the sitemaps that it names. */
  fact('SitemapRead', {
    key: UrlKey,
    url: Type.String(),
    status: Type.Integer(),
    urls: Type.Integer(),
    /** Named by an index, each as its key and normal form, and not to be read before this one. */
    sitemaps: Type.Array(Type.Tuple([UrlKey, Type.String()])),
    /** What was left out, such as `more than 50000 addresses`; null where it was read whole. */
    cut: orNull(Type.String()),
  }),
  fact('SitemapFailed', { key: UrlKey, url: Type.String(), reason: Type.String() }),
  /** It could not be had this time; it is asked for again later. */
  fact('SitemapRetried', { key: UrlKey, attempt: Type.Integer(), notBefore: Timestamp }),
  /** The origin's robots.txt is being asked for; its pages wait until the answer is known. */
  fact('RobotsOrdered', { origin: Type.String(), attempt: Type.Integer(), again: Again }),
  fact('RobotsRead', {
    origin: Type.String(),
    status: Type.Integer(),
    /** RFC 9309, 2.3.1: rules when it could be read, all allowed on 4xx, all disallowed on 5xx. */
    verdict: Type.Union([Type.Literal('rules'), Type.Literal('allow_all'), Type.Literal('disallow_all')]),
    group: RobotsGroup,
    bodyHash: orNull(Sha256),
  }),
  fact('RobotsFailed', { origin: Type.String(), reason: Type.String() }),
  /** Its robots.txt could not be read this time; it is asked for again later. */
  fact('RobotsRetried', { origin: Type.String(), attempt: Type.Integer(), notBefore: Timestamp }),
  /** Handed to the fetchers, one message of FETCH each. The number is the run's own count and makes the message's id. */
  fact('PagesOrdered', {
    messages: Type.Array(Type.Object({ number: Type.Integer(), keys: Type.Array(UrlKey), again: Again })),
  }),
  fact('PagesSettled', { pages: Type.Array(SettledPage) }),
  /** A redirect onto another URL of the run: no page, nothing billed. */
  fact('PagesDuplicated', { pages: Type.Array(Type.Object({ key: UrlKey, of: UrlKey })) }),
  fact('PagesRetried', {
    pages: Type.Array(
      Type.Object({
        key: UrlKey,
        reason: Type.String(),
        attempt: Type.Integer(),
        notBefore: Timestamp,
        /** From now on by this lane. */
        lane: Type.Optional(Type.Union([Type.Literal('http'), Type.Literal('browser')])),
        /** The 5xx answer of a page that is requested again at the end; it counts where no second answer comes. */
        answer: Type.Optional(PageAnswer),
      }),
    ),
  }),
  fact('PagesFailed', {
    pages: Type.Array(Type.Object({ key: UrlKey, reason: Type.String(), attempts: Type.Integer() })),
  }),
  fact('RunFinished', {
    status: Type.Union([Type.Literal('done'), Type.Literal('failed'), Type.Literal('cancelled')]),
    stopReason: StopReason,
    errorMessage: orNull(Type.String()),
    /** A stable word for the message. */
    errorReason: Type.Optional(Type.String()),
    totals: Totals,
    /** Of the pages fetched, challenges, which cost nothing; left out where there were none. */
    blocked: Type.Optional(Type.Integer()),
    /** Of the pages fetched that are no challenges, those that a browser rendered; left out where there were none. */
    rendered: Type.Optional(Type.Integer()),
  }),
  /** The last word on a run: its rows, bodies and events go; what was billed stays. */
  fact('RunDeleted', {
    projectId: Id,
    billedPages: Type.Integer(),
    billedCloudPages: Type.Optional(Type.Integer()),
  }),
])
export type RunEvent = Static<typeof RunEvent>
export const RunCommit = commitOf(RunEvent)
export type RunCommit = Static<typeof RunCommit>
