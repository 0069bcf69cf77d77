/**
 * `GET /v1/crawls/{id}/events`: the events of a run as server-sent events (WHATWG HTML, 9.2). The event of an id never
 * changes, so clients that read again receive the same.
 */
import { type Static, type TProperties, Type } from 'typebox'
import { described, Id, mustBe, oneOf, orNull, Timestamp } from '../primitives.ts'
import { TrapRule } from '../run.ts'
import { DeferringLimit, StopReason } from '../run-ends.ts'
import { errorReason } from './crawls.ts'

/** The event types, in the order in which the events of one commit are sent. */
const streamTypes = ['page', 'decision', 'progress', 'end'] as const
export type StreamType = (typeof streamTypes)[number]

/** The values of `decision`. */
const decisions = [
  ...(['admitted', 'deferred', 'skipped', 'filtered', 'pruned', 'duplicated', 'failed', 'retried'] as const),
  ...(['robots', 'sitemap', 'frontier_filled', 'paused', 'resumed', 'reopened'] as const),
]

const oneType = `(?:${[...streamTypes, ...decisions].join('|')})`

export const EventsQuery = Type.Object({
  types: Type.Optional(
    Type.String({
      pattern: `^${oneType}(?:,${oneType})*$`,
      ...mustBe(`a comma-separated list of ${streamTypes.join(', ')}, or of single decisions such as failed`),
      description: `Only these events, as a comma-separated list: the types ${streamTypes.join(', ')}, or single decisions such as failed.`,
      examples: ['page,end'],
    }),
  ),
  max_per_second: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description:
        'For screens: of each second of the crawl, at most this number of pages, this number of decisions of each kind, and the last progress are sent. Events arrive up to a second later.',
      examples: [20],
    }),
  ),
  last_event_id: Type.Optional(
    Type.String({
      description: 'Continue after this event. The header Last-Event-ID takes precedence.',
      examples: ['4711-0'],
    }),
  ),
})

/** Sent after each commit that changed one of these counts. */
export const ProgressEvent = Type.Object({
  page_count: Type.Integer({ description: 'Number of pages of the crawl.' }),
  error_count: Type.Integer({ description: 'Number of URLs that failed.' }),
  pending: Type.Integer({
    description: 'Number of URLs that are admitted, or listed in urls, and have no outcome yet.',
  }),
  discovered: Type.Integer({
    description: 'Number of URLs that were judged, admitted or not, and of those listed in urls.',
  }),
})
export type ProgressEvent = Static<typeof ProgressEvent>

/** A stored page. It can be read as soon as the list of pages has it. */
export const PageEvent = Type.Object({
  id: described(Id, 'The page.'),
  url: Type.String({ description: 'The URL of the page, after redirects.' }),
  status: Type.Integer({ description: 'HTTP status of the target.' }),
  bytes: Type.Integer({ description: 'Length of the decoded body, in bytes.' }),
  title: orNull(Type.String({ description: 'Title of the page; null: it has none.' })),
  depth: Type.Integer({ description: 'Number of links from the seed to the page.' }),
  fetched_at: described(Timestamp, 'Time of the fetch.'),
})
export type PageEvent = Static<typeof PageEvent>

const Url = Type.String({ description: 'The URL, or its key if the URL is not stored any longer.' })
const From = orNull(
  described(Url, 'The page on which the URL was found; null: the seed, or urls or a sitemap lists it.'),
)
const depth = Type.Integer({ description: 'Number of links from the seed to the page.' })
const reason = Type.String({ description: 'Such as dns, connect, tls, timeout or too_large.' })
const status = Type.Integer({ description: 'HTTP status of the response.' })
const origin = Type.String({ description: 'The origin of the robots.txt, such as https://example.com.' })
const again = {
  attempt: Type.Integer({ description: 'Number of the next attempt, counted from 1.' }),
  not_before: described(Timestamp, 'Earliest time of the next attempt.'),
}

/** The URLs of one decision. */
const pagesOf = <Fields extends TProperties>(fields: Fields) =>
  Type.Array(Type.Object(fields), { description: 'The URLs of this decision, at most 100.' })
const found = pagesOf({ url: Url, depth, from: From })

const decided = <Name extends string>(name: Name, description: string) => Type.Literal(name, { description })
const outcome = <Name extends string>(name: Name) =>
  Type.Literal(name, { description: 'The outcome of the request.' })
const robots = decided('robots', 'The crawl requested a robots.txt.')
const sitemap = decided('sitemap', 'The crawl requested a sitemap.')

/** A decision for at most 100 URLs. `from` is the page with the link to each. */
export const DecisionEvent = Type.Union([
  Type.Object({ decision: decided('admitted', 'The URLs will be fetched.'), pages: found }),
  Type.Object({
    decision: decided('deferred', 'A limit prevents the fetch of these URLs.'),
    limit: described(DeferringLimit, 'The name of the limit.'),
    pages: found,
  }),
  Type.Object({
    decision: decided('skipped', 'The rules forbid the fetch of these URLs.'),
    reason: Type.String({ description: 'The rule, such as robots.' }),
    pages: pagesOf({
      url: Url,
      from: From,
      rule: orNull(Type.String({ description: 'The line of robots.txt that decided; null: no line.' })),
    }),
  }),
  Type.Object({
    decision: decided('filtered', 'The path patterns of the request exclude these URLs.'),
    by: oneOf(['include', 'exclude'], {
      description: 'The field with the patterns.',
    }),
    pages: pagesOf({
      url: Url,
      from: From,
      pattern: orNull(Type.String({ description: 'The pattern that matched; null: none matched.' })),
    }),
  }),
  Type.Object({
    decision: decided('pruned', 'The URLs look like part of an endless series.'),
    rule: described(TrapRule, 'The name of the trap rule.'),
    pages: pagesOf({
      url: Url,
      from: From,
      because: Type.String({ description: 'The evidence of the rule.' }),
    }),
  }),
  Type.Object({ decision: decided('paused', 'The client paused the crawl.') }),
  Type.Object({ decision: decided('resumed', 'The client resumed the crawl.') }),
  Type.Object({
    decision: decided('reopened', 'The client retries failed URLs of the crawl, which had ended.'),
    urls: Type.Integer({ description: 'Number of URLs that are pending again.' }),
  }),
  Type.Object({
    decision: decided('duplicated', 'The URLs lead to pages that the crawl already has.'),
    pages: pagesOf({ url: Url, of: described(Url, 'The URL under which the page is stored.') }),
  }),
  Type.Object({
    decision: decided('failed', 'The URLs got no HTTP response.'),
    pages: pagesOf({
      url: Url,
      reason,
      attempts: Type.Integer({ description: 'Number of attempts.' }),
    }),
  }),
  Type.Object({
    decision: decided('retried', 'The URLs will be retried.'),
    pages: pagesOf({ url: Url, reason, ...again }),
  }),
  Type.Object({
    decision: robots,
    outcome: outcome('read'),
    origin,
    status,
    verdict: Type.String({ description: 'The consequence for the whole site.' }),
  }),
  Type.Object({ decision: robots, outcome: outcome('failed'), origin, reason }),
  Type.Object({ decision: robots, outcome: outcome('retried'), origin, ...again }),
  Type.Object({
    decision: sitemap,
    outcome: outcome('read'),
    url: Url,
    status,
    urls: Type.Integer({ description: 'Number of URLs that it lists.' }),
    sitemaps: Type.Integer({ description: 'Number of further sitemaps that it lists.' }),
    cut: orNull(
      Type.String({ description: 'The part that was not read, or the reason; null: all of it was read.' }),
    ),
  }),
  Type.Object({ decision: sitemap, outcome: outcome('failed'), url: Url, reason }),
  Type.Object({ decision: sitemap, outcome: outcome('retried'), url: Url, ...again }),
  Type.Object({
    decision: decided(
      'frontier_filled',
      'The crawl has reached its maximum number of known URLs. URLs found from now on are not judged.',
    ),
    known: Type.Integer({ description: 'Number of URLs that the crawl knows, which is the maximum.' }),
  }),
])
export type DecisionEvent = Static<typeof DecisionEvent>
decisions satisfies DecisionEvent['decision'][]

/** The last event. A deleted run has no totals. */
const EndEvent = Type.Object({
  status: oneOf(['done', 'failed', 'cancelled', 'deleted'], {
    description: 'The final status of the crawl.',
  }),
  stop_reason: orNull(described(StopReason, 'The reason for the end; null: the crawl was deleted.')),
  error_message: orNull(
    Type.String({ description: 'The reason for the failure in words; null: the crawl did not fail.' }),
  ),
  error_reason: errorReason,
  totals: orNull(
    Type.Object(
      {
        discovered: Type.Integer({ description: 'Sum of the other counts.' }),
        fetched: Type.Integer({ description: 'URLs that are pages.' }),
        failed: Type.Integer({ description: 'URLs that got no HTTP response.' }),
        skipped: Type.Integer({ description: 'URLs that rules exclude.' }),
        duplicate: Type.Integer({ description: 'URLs that lead to the page of another URL.' }),
        not_reached: Type.Integer({ description: 'URLs that a limit prevented from being fetched.' }),
        pending: Type.Integer({ description: 'URLs that were still waiting.' }),
      },
      { description: 'The outcomes of all URLs, as in the coverage; null: the crawl was deleted.' },
    ),
  ),
})
export type EndEvent = Static<typeof EndEvent>

export type StreamData = {
  progress: ProgressEvent
  page: PageEvent
  decision: DecisionEvent
  end: EndEvent
}

/** The body in OpenAPI: text, with the schemas of the `data` of each event. */
export const EventStream = Type.String({
  description:
    'Server-sent events from the beginning of the crawl, or after Last-Event-ID, to its end. `id` is <sequence>-<index>. Each `data` is one line of JSON whose schema depends on its `event`: see x-data.',
  'x-data': { progress: ProgressEvent, page: PageEvent, decision: DecisionEvent, end: EndEvent },
})
