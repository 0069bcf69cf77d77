/** `POST /v1/crawls/estimate`: what a crawl would fetch, take and cost. */
import { type Static, Type } from 'typebox'
import { Id, orNull } from '../primitives.ts'

const Range = Type.Object({ low: Type.Integer(), high: Type.Integer() })

export const EstimatedOut = Type.Object({
  url: Type.String(),
  rule: Type.String({
    description: 'robots, exclude, include, max_pages, depth, or the name of a trap rule.',
  }),
  because: orNull(Type.String({ description: 'The line, pattern or numbers that decided.' })),
})
export type EstimatedOut = Static<typeof EstimatedOut>

const LastRun = Type.Object({
  id: Id,
  pages: Type.Integer(),
  seconds: orNull(Type.Number()),
  stop_reason: orNull(Type.String()),
})

export const CrawlEstimate = Type.Object(
  {
    url: Type.String(),
    pages: Range,
    seconds_at_polite_rate: Type.Object(
      { low: Type.Number(), high: Type.Number() },
      { description: 'The pauses alone: one page every max(delay_ms, Crawl-delay).' },
    ),
    cost: Type.Object({ pages: Range }),
    in: Type.Array(Type.String(), { description: 'Up to 20 URLs that would be crawled.' }),
    out: Type.Array(EstimatedOut, { description: 'Up to 20 URLs that would not, each with its rule.' }),
    basis: Type.Object({
      by: Type.Union([Type.Literal('last_run'), Type.Literal('sitemaps'), Type.Literal('links')], {
        description: 'What `pages` rests on.',
      }),
      listed: Type.Integer({ description: 'URLs that the site names itself, all of them judged.' }),
      would_be_crawled: Type.Integer({ description: 'Of these.' }),
      truncated: Type.Boolean({ description: 'The site names more, or may.' }),
      last_run: orNull(LastRun),
    }),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'CrawlEstimate' },
)
export type CrawlEstimate = Static<typeof CrawlEstimate>
