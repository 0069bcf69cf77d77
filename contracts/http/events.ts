/**
 * `GET /v1/crawls/{id}/events`: a run as it happens, as server-sent events (WHATWG HTML, 9.2). What is sent under an
 * id never changes: whoever reads again reads the same.
 */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { StopReason, TrapRule } from '../run.ts'

/** The names of the events, in the order in which a commit's are told. */
export const streamTypes = ['page', 'decision', 'progress', 'end'] as const
export type StreamType = (typeof streamTypes)[number]

const oneType = `(?:${streamTypes.join('|')})`

export const EventsQuery = Type.Object({
  types: Type.Optional(
    Type.String({
      pattern: `^${oneType}(?:,${oneType})*$`,
      description: `a comma list of ${streamTypes.join(', ')}`,
    }),
  ),
  last_event_id: Type.Optional(
    Type.String({
      description: 'Go on after this event, such as 4711-0; the header Last-Event-ID wins over it.',
    }),
  ),
})
export type EventsQuery = Static<typeof EventsQuery>

/** After each commit that changed one of these. */
export const ProgressEvent = Type.Object({
  page_count: Type.Integer(),
  error_count: Type.Integer(),
  pending: Type.Integer({ description: 'Admitted and not settled yet.' }),
  discovered: Type.Integer({ description: 'URLs judged, whatever became of them.' }),
})
export type ProgressEvent = Static<typeof ProgressEvent>

/** A page that was settled; from now on it can be read, as soon as the list of pages has it. */
export const PageEvent = Type.Object({
  id: Id,
  url: Type.String(),
  status: Type.Integer(),
  bytes: Type.Integer(),
  title: orNull(Type.String()),
  depth: Type.Integer(),
  fetched_at: Timestamp,
})
export type PageEvent = Static<typeof PageEvent>

/** A URL; where it is not known any more, its key. */
const Url = Type.String()
const From = orNull(Url)
const found = Type.Array(Type.Object({ url: Url, depth: Type.Integer(), from: From }))
const again = { attempt: Type.Integer(), not_before: Timestamp }

/** What was decided of URLs, at most 100 of them an event. `from` is the page on which each was found. */
export const DecisionEvent = Type.Union([
  Type.Object({ decision: Type.Literal('admitted'), pages: found }),
  Type.Object({
    decision: Type.Literal('deferred'),
    limit: Type.Union([Type.Literal('max_pages'), Type.Literal('depth')]),
    pages: found,
  }),
  Type.Object({
    decision: Type.Literal('skipped'),
    reason: Type.String(),
    pages: Type.Array(Type.Object({ url: Url, from: From, rule: orNull(Type.String()) })),
  }),
  Type.Object({
    decision: Type.Literal('filtered'),
    by: Type.Union([Type.Literal('include'), Type.Literal('exclude')]),
    pages: Type.Array(Type.Object({ url: Url, from: From, pattern: orNull(Type.String()) })),
  }),
  Type.Object({
    decision: Type.Literal('pruned'),
    rule: TrapRule,
    pages: Type.Array(Type.Object({ url: Url, from: From, because: Type.String() })),
  }),
  Type.Object({
    decision: Type.Literal('duplicated'),
    pages: Type.Array(Type.Object({ url: Url, of: Url })),
  }),
  Type.Object({
    decision: Type.Literal('failed'),
    pages: Type.Array(Type.Object({ url: Url, reason: Type.String(), attempts: Type.Integer() })),
  }),
  Type.Object({
    decision: Type.Literal('retried'),
    pages: Type.Array(Type.Object({ url: Url, reason: Type.String(), ...again })),
  }),
  Type.Object({
    decision: Type.Literal('robots'),
    outcome: Type.Literal('read'),
    origin: Type.String(),
    status: Type.Integer(),
    verdict: Type.String(),
  }),
  Type.Object({
    decision: Type.Literal('robots'),
    outcome: Type.Literal('failed'),
    origin: Type.String(),
    reason: Type.String(),
  }),
  Type.Object({
    decision: Type.Literal('robots'),
    outcome: Type.Literal('retried'),
    origin: Type.String(),
    ...again,
  }),
  Type.Object({
    decision: Type.Literal('sitemap'),
    outcome: Type.Literal('read'),
    url: Url,
    status: Type.Integer(),
    urls: Type.Integer(),
    sitemaps: Type.Integer(),
    cut: orNull(Type.String()),
  }),
  Type.Object({
    decision: Type.Literal('sitemap'),
    outcome: Type.Literal('failed'),
    url: Url,
    reason: Type.String(),
  }),
  Type.Object({ decision: Type.Literal('sitemap'), outcome: Type.Literal('retried'), url: Url, ...again }),
  Type.Object({ decision: Type.Literal('frontier_filled'), known: Type.Integer() }),
])
export type DecisionEvent = Static<typeof DecisionEvent>

/** Nothing comes after it. A run that was deleted has no totals any more. */
export const EndEvent = Type.Object({
  status: Type.Union([
    Type.Literal('done'),
    Type.Literal('failed'),
    Type.Literal('cancelled'),
    Type.Literal('deleted'),
  ]),
  stop_reason: orNull(StopReason),
  error_message: orNull(Type.String()),
  totals: orNull(
    Type.Object({
      discovered: Type.Integer(),
      fetched: Type.Integer(),
      failed: Type.Integer(),
      skipped: Type.Integer(),
      duplicate: Type.Integer(),
      not_reached: Type.Integer(),
      pending: Type.Integer(),
    }),
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
