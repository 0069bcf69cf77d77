/** `POST /v1/crawls/estimate`: what a crawl would fetch, take and cost. */
import { type Static, Type } from 'typebox'
import { Id, orNull, said } from '../primitives.ts'
import { warnings } from './lists.ts'

const Range = Type.Object(
  {
    low: Type.Integer({ description: 'At least so many, as far as one can tell.' }),
    high: Type.Integer({ description: 'At most so many, as far as one can tell.' }),
  },
  { $id: 'PageRange', description: 'Pages, between two bounds.' },
)

export const EstimatedOut = Type.Object({
  url: Type.String({ description: 'In normal form.' }),
  rule: Type.String({
    description: 'robots, exclude, include, max_pages, depth, or the name of a trap rule.',
  }),
  because: orNull(Type.String({ description: 'The line, pattern or numbers that decided.' })),
})
export type EstimatedOut = Static<typeof EstimatedOut>

const LastRun = Type.Object(
  {
    id: said(Id, 'The crawl.'),
    pages: Type.Integer({ description: 'Pages that it has.' }),
    seconds: orNull(Type.Number({ description: 'Seconds that it took; null where that is not known.' })),
    stop_reason: orNull(Type.String({ description: 'Why it ended.' })),
  },
  { description: 'The last crawl of this URL that was done; null where there is none.' },
)

export const CrawlEstimate = Type.Object(
  {
    url: Type.String({ description: 'Where the crawl would begin.' }),
    pages: Range,
    seconds_at_polite_rate: Type.Object(
      {
        low: Type.Number({ description: 'Seconds for the fewest pages.' }),
        high: Type.Number({ description: 'Seconds for the most pages.' }),
      },
      { description: 'The pauses alone: one page every max(delay_ms, Crawl-delay).' },
    ),
    cost: Type.Object(
      { pages: Range, cloud_pages: Type.Optional(Range) },
      { description: 'What it would be billed; cloud_pages where render is not none.' },
    ),
    in: Type.Array(Type.String(), { description: 'Up to 20 URLs that would be crawled.' }),
    out: Type.Array(EstimatedOut, { description: 'Up to 20 URLs that would not, each with its rule.' }),
    basis: Type.Object(
      {
        by: Type.Union([Type.Literal('last_run'), Type.Literal('sitemaps'), Type.Literal('links')], {
          description: 'What `pages` rests on.',
        }),
        listed: Type.Integer({ description: 'URLs that the site names itself, all of them judged.' }),
        would_be_crawled: Type.Integer({ description: 'Of these.' }),
        truncated: Type.Boolean({ description: 'The site names more, or may.' }),
        last_run: orNull(LastRun),
      },
      { description: 'What the numbers rest on.' },
    ),
    warnings,
  },
  { $id: 'CrawlEstimate' },
)
export type CrawlEstimate = Static<typeof CrawlEstimate>
