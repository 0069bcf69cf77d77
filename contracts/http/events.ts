/**
 * `GET /v1/crawls/{id}/events`: a run as it happens, as server-sent events (WHATWG HTML, 9.2). What is sent under an
 * id never changes: whoever reads again reads the same.
 */
import { type Static, type TProperties, Type } from 'typebox'
import { Id, mustBe, orNull, said, Timestamp } from '../primitives.ts'
import { StopReason, TrapRule } from '../run.ts'

/** The names of the events, in the order in which a commit's are told. */
const streamTypes = ['page', 'decision', 'progress', 'end'] as const
export type StreamType = (typeof streamTypes)[number]

const oneType = `(?:${streamTypes.join('|')})`

export const EventsQuery = Type.Object({
  types: Type.Optional(
    Type.String({
      pattern: `^${oneType}(?:,${oneType})*$`,
      ...mustBe(`a comma list of ${streamTypes.join(', ')}`),
      description: `Only these events, as a comma list: ${streamTypes.join(', ')}.`,
      examples: ['page,end'],
    }),
  ),
  last_event_id: Type.Optional(
    Type.String({
      description: 'Go on after this event; the header Last-Event-ID wins over it.',
      examples: ['4711-0'],
    }),
  ),
})
export type EventsQuery = Static<typeof EventsQuery>

/** After each commit that changed one of these. */
export const ProgressEvent = Type.Object({
  page_count: Type.Integer({ description: 'Pages that the crawl has.' }),
  error_count: Type.Integer({ description: 'URLs that failed on the way.' }),
  pending: Type.Integer({ description: 'Admitted and not settled yet.' }),
  discovered: Type.Integer({ description: 'URLs judged, whatever became of them.' }),
})
export type ProgressEvent = Static<typeof ProgressEvent>

/** A page that was settled; from now on it can be read, as soon as the list of pages has it. */
export const PageEvent = Type.Object({
  id: said(Id, 'The page.'),
  url: Type.String({ description: 'Where it was found.' }),
  status: Type.Integer({ description: "The target's own HTTP status." }),
  bytes: Type.Integer({ description: 'Length of the decoded body, in bytes.' }),
  title: orNull(Type.String({ description: 'Its title; null without one.' })),
  depth: Type.Integer({ description: 'Clicks from the seed.' }),
  fetched_at: said(Timestamp, 'When it was fetched.'),
})
export type PageEvent = Static<typeof PageEvent>

const Url = Type.String({ description: 'A URL; where it is not known any more, its key.' })
const From = orNull(said(Url, 'The page on which it was found; null: the seed, or listed by a sitemap.'))
const depth = Type.Integer({ description: 'Clicks from the seed.' })
const reason = Type.String({ description: 'Such as dns, connect, tls, timeout or too_large.' })
const status = Type.Integer({ description: 'HTTP status of its answer.' })
const origin = Type.String({ description: 'The site whose robots.txt it is, such as https://example.com.' })
const again = {
  attempt: Type.Integer({ description: 'The attempt to come, counted from 1.' }),
  not_before: said(Timestamp, 'When it is made, at the earliest.'),
}

/** The URLs that one decision is about. */
const pagesOf = <Fields extends TProperties>(fields: Fields) =>
  Type.Array(Type.Object(fields), { description: 'The URLs that it is about, at most 100.' })
const found = pagesOf({ url: Url, depth, from: From })

const decided = <Name extends string>(name: Name, says: string) => Type.Literal(name, { description: says })
const outcome = <Name extends string>(name: Name) => Type.Literal(name, { description: 'How it ended.' })
const robots = decided('robots', 'A robots.txt was asked for.')
const sitemap = decided('sitemap', 'A sitemap was asked for.')

/** What was decided of URLs, at most 100 of them an event. `from` is the page on which each was found. */
export const DecisionEvent = Type.Union([
  Type.Object({ decision: decided('admitted', 'They will be fetched.'), pages: found }),
  Type.Object({
    decision: decided('deferred', 'A limit keeps them from being fetched.'),
    limit: Type.Union([Type.Literal('max_pages'), Type.Literal('depth')], { description: 'Which one.' }),
    pages: found,
  }),
  Type.Object({
    decision: decided('skipped', 'They may not be fetched.'),
    reason: Type.String({ description: 'Such as robots.' }),
    pages: pagesOf({
      url: Url,
      from: From,
      rule: orNull(Type.String({ description: 'The line of robots.txt that decided; null: none did.' })),
    }),
  }),
  Type.Object({
    decision: decided('filtered', 'The patterns of the request leave them out.'),
    by: Type.Union([Type.Literal('include'), Type.Literal('exclude')], { description: 'Which patterns.' }),
    pages: pagesOf({
      url: Url,
      from: From,
      pattern: orNull(Type.String({ description: 'The one that matched; null: none did.' })),
    }),
  }),
  Type.Object({
    decision: decided('pruned', 'They look like some of endlessly many.'),
    rule: said(TrapRule, 'Which rule says so.'),
    pages: pagesOf({ url: Url, from: From, because: Type.String({ description: 'What the rule saw.' }) }),
  }),
  Type.Object({
    decision: decided('duplicated', 'They lead to pages that the crawl has.'),
    pages: pagesOf({ url: Url, of: said(Url, 'The URL that has the page.') }),
  }),
  Type.Object({
    decision: decided('failed', 'They never became an answer.'),
    pages: pagesOf({
      url: Url,
      reason,
      attempts: Type.Integer({ description: 'How often each was tried.' }),
    }),
  }),
  Type.Object({
    decision: decided('retried', 'They will be tried once more.'),
    pages: pagesOf({ url: Url, reason, ...again }),
  }),
  Type.Object({
    decision: robots,
    outcome: outcome('read'),
    origin,
    status,
    verdict: Type.String({ description: 'What follows from it for all of the site.' }),
  }),
  Type.Object({ decision: robots, outcome: outcome('failed'), origin, reason }),
  Type.Object({ decision: robots, outcome: outcome('retried'), origin, ...again }),
  Type.Object({
    decision: sitemap,
    outcome: outcome('read'),
    url: Url,
    status,
    urls: Type.Integer({ description: 'Addresses that it lists.' }),
    sitemaps: Type.Integer({ description: 'Further sitemaps that it names.' }),
    cut: orNull(Type.String({ description: 'What of it was not read, and why.' })),
  }),
  Type.Object({ decision: sitemap, outcome: outcome('failed'), url: Url, reason }),
  Type.Object({ decision: sitemap, outcome: outcome('retried'), url: Url, ...again }),
  Type.Object({
    decision: decided('frontier_filled', 'What is found from now on is not judged.'),
    known: Type.Integer({ description: 'URLs that the crawl knows, as many as it can hold.' }),
  }),
])
export type DecisionEvent = Static<typeof DecisionEvent>

/** Nothing comes after it. A run that was deleted has no totals any more. */
const EndEvent = Type.Object({
  status: Type.Union(
    [Type.Literal('done'), Type.Literal('failed'), Type.Literal('cancelled'), Type.Literal('deleted')],
    { description: 'How the crawl ended.' },
  ),
  stop_reason: orNull(said(StopReason, 'Why it ended; null of a deleted one.')),
  error_message: orNull(Type.String({ description: 'Why it failed; null where it did not.' })),
  totals: orNull(
    Type.Object(
      {
        discovered: Type.Integer({ description: 'The sum of all that follows.' }),
        fetched: Type.Integer({ description: 'URLs that are pages now.' }),
        failed: Type.Integer({ description: 'URLs that never became an answer.' }),
        skipped: Type.Integer({ description: 'URLs that the crawl was not to fetch.' }),
        duplicate: Type.Integer({ description: 'URLs that lead to a page of another.' }),
        not_reached: Type.Integer({ description: 'URLs that a limit kept from being fetched.' }),
        pending: Type.Integer({ description: 'URLs whose turn had not come.' }),
      },
      { description: 'Where every URL has ended, as in its receipt; null of a deleted crawl.' },
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

/** The body as OpenAPI can say it: text, with what stands in the `data` of each event. */
export const EventStream = Type.String({
  description:
    'Server-sent events from the beginning of the crawl, or after Last-Event-ID, to its end. `id` is <sequence>-<index>; each `data` is one line of JSON, by its `event`: see x-data.',
  'x-data': { progress: ProgressEvent, page: PageEvent, decision: DecisionEvent, end: EndEvent },
})
