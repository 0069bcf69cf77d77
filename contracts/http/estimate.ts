/** `POST /v1/crawls/estimate`: the expected pages, duration and cost of a crawl. */
import { type Static, Type } from 'typebox'
import { described, Id, oneOf, orNull } from '../primitives.ts'
import { warnings } from './lists.ts'

const Range = Type.Object(
  {
    low: Type.Integer({ description: 'Lower bound of the number of pages.' }),
    high: Type.Integer({ description: 'Upper bound of the number of pages.' }),
  },
  { $id: 'PageRange', description: 'Estimated number of pages, between two bounds.' },
)

export const EstimatedOut = Type.Object({
  url: Type.String({ description: 'The URL in normal form.' }),
  rule: Type.String({
    description:
      'robots, robots_unreachable, exclude, include, max_pages, depth, or the name of a trap rule.',
  }),
  because: orNull(Type.String({ description: 'The line, pattern or numbers that decided.' })),
})
export type EstimatedOut = Static<typeof EstimatedOut>

const LastRun = Type.Object(
  {
    id: described(Id, 'The crawl.'),
    pages: Type.Integer({ description: 'Number of its pages.' }),
    seconds: orNull(Type.Number({ description: 'Duration in seconds; null: unknown.' })),
    stop_reason: orNull(Type.String({ description: 'Reason for the end.' })),
  },
  { description: 'The last crawl of this URL that is done; null: none.' },
)

export const CrawlEstimate = Type.Object(
  {
    url: Type.String({ description: 'The URL where the crawl would start.' }),
    pages: Range,
    seconds_at_polite_rate: Type.Object(
      {
        low: Type.Number({ description: 'Seconds for the lower bound.' }),
        high: Type.Number({ description: 'Seconds for the upper bound.' }),
      },
      { description: 'Delays only: one page every max(delay_ms, Crawl-delay).' },
    ),
    cost: Type.Object(
      {
        pages: Range,
        cloud_pages: Type.Optional(Range),
        usd: Type.Object(
          {
            low: Type.Number({ description: 'Lower bound in US dollars.' }),
            high: Type.Number({ description: 'Upper bound in US dollars, at most max_cost_usd.' }),
          },
          { description: 'Expected cost at the prices of max_cost_usd.' },
        ),
      },
      { description: 'Expected cost. cloud_pages is absent with `render: none`.' },
    ),
    in: Type.Array(Type.String(), { description: 'Up to 20 URLs that would be crawled.' }),
    out: Type.Array(EstimatedOut, {
      description: 'Up to 20 URLs that would not be crawled, each with its rule.',
    }),
    basis: Type.Object(
      {
        by: oneOf(['last_run', 'sitemaps', 'links', 'urls'], {
          description:
            'Basis of `pages`. last_run: the latest crawl of the URL, which read all pages, with the same `seed_kind`, `follow_links`, `urls`, patterns, `subdomains` and `depth`. urls: the crawl follows no links.',
        }),
        listed: Type.Integer({ description: 'URLs that the site lists itself, all of them judged.' }),
        would_be_crawled: Type.Integer({ description: 'Number of these URLs that would be crawled.' }),
        truncated: Type.Boolean({ description: 'Whether the site lists, or may list, more URLs.' }),
        last_run: orNull(LastRun),
      },
      { description: 'Basis of the estimate.' },
    ),
    warnings,
  },
  { $id: 'CrawlEstimate' },
)
export type CrawlEstimate = Static<typeof CrawlEstimate>
