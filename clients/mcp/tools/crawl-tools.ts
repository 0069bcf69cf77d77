/** Tools around crawls: map a site, start a crawl, follow it, and explain one URL. */
import type { Draft, Facts } from '../answers/answer.ts'
import { readCursor } from '../answers/cursor.ts'
import type { Response } from '../api/api.ts'
import {
  count,
  countOrNull,
  crawlId,
  cursor,
  listOutput,
  maxTokens,
  notes,
  option,
  reads,
  type Tool,
  text,
  textOrNull,
  url,
  writes,
} from './tool.ts'

const mappedAtOnce = 500
const maxMapped = 50_000

const mapSite: Tool = {
  title: 'Map a site',
  description:
    'List the URLs of a site within seconds, from its sitemaps and home page, without a crawl. Use it before start_crawl to choose pages or paths. Free.',
  input: {
    url,
    search: {
      type: 'string',
      maxLength: 500,
      description: 'Only URLs with one of these words in path or title, best match first.',
    },
    subdomains: option(false, 'Include subdomains.'),
    max_tokens: maxTokens,
    cursor,
  },
  required: ['url'],
  output: { url: text, total: count, truncated: { type: 'boolean' }, ...listOutput },
  hints: reads(true),
  async run({ api, args, signal }): Promise<Draft> {
    const { offset } = readCursor(args.cursor, 'list')
    const limit = Math.min(maxMapped, offset + mappedAtOnce)
    const body = {
      url: args.url,
      limit,
      subdomains: args.subdomains,
      ...(args.search !== undefined && { search: args.search }),
    }
    const answer = await api('POST', '/v1/map', { body, signal })
    const { url: site, total, truncated, items } = answer.body
    const entries = items.slice(offset).map(({ url, title, lastmod }: Facts) => ({
      url,
      ...(title !== undefined && { title }),
      ...(lastmod !== undefined && { lastmod }),
    }))
    const isMore = total > items.length
    // The service lists fewer URLs than the limit if these fill a response. A larger limit then adds none.
    const isLast = items.length < limit || limit === maxMapped
    return {
      facts: { url: site, total, truncated, ...(isMore && isLast && restOf(items, total)), ...notes(answer) },
      list: {
        entries,
        offset,
        isMore: isMore && !isLast,
        line: ({ url, title, lastmod }) =>
          [url, title && JSON.stringify(title), lastmod].filter(Boolean).join(' '),
      },
    }
  },
}

const restOf = ({ length }: Facts[], total: number): Facts => ({
  note: `A map has only the first ${length} of ${total} URLs. Use search, or the url of a section, for the others.`,
})

const paths = (description: string) => ({ type: 'array', items: text, maxItems: 50, description })

/** The limits of a crawl that a fork can change. */
const limits = {
  max_pages: {
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    description: 'The crawl ends when it has this number of pages.',
  },
  max_cost_usd: { type: 'number', minimum: 0, description: 'The crawl never bills more US dollars.' },
  max_bytes: { type: 'integer', minimum: 1, description: 'Its pages never have more bytes together.' },
  depth: {
    type: 'integer',
    minimum: 1,
    maximum: 50,
    description: 'Maximum number of links from url to a page.',
  },
  include_paths: paths('RE2 patterns of path and query; crawl only URLs that match one.'),
  exclude_paths: paths('RE2 patterns of path and query; skip URLs that match one.'),
} as const

const startCrawl: Tool = {
  title: 'Start a crawl',
  description:
    'Crawl a site in the background and store its pages. Call crawl_status until the crawl has ended, then list_pages. Costs 1 page per fetched page, at most max_pages; a rendered page costs 1 cloud page instead.',
  input: {
    url,
    ...limits,
    depth: { ...limits.depth, default: 5 },
    subdomains: option(false, 'Crawl subdomains too.'),
    sitemap: option(false, 'Crawl the URLs of the sitemap at url and follow no links.'),
    render: {
      type: 'string',
      enum: ['none', 'auto', 'always'],
      default: 'none',
      description: 'Pages to render in a browser. auto: those that are empty without their scripts.',
    },
  },
  required: ['url', 'max_pages'],
  output: { crawl_id: count, status: text },
  hints: writes(),
  async run({ api, args, signal }): Promise<Draft> {
    const { sitemap, ...rest } = args
    const body = { ...rest, ...(sitemap && { seed_kind: 'sitemap' }) }
    return startedBy(await api('POST', '/v1/crawls', { body, signal }))
  },
}

function startedBy(answer: Response): Draft {
  const { id: crawl_id, status, url: seed } = answer.body
  return { facts: { crawl_id, status, url: seed, next: 'crawl_status', ...notes(answer) } }
}

export const forkCrawl: Tool = {
  title: 'Fork a crawl',
  description:
    'Crawl the same site again in the background with other limits, from the stored pages of a crawl that has ended. Fields that are left out keep their value. Costs 1 page per fetched page that the crawl does not have; its pages are reused for nothing.',
  input: { crawl_id: crawlId, ...limits },
  required: ['crawl_id'],
  output: { crawl_id: count, status: text },
  hints: writes(),
  async run({ api, args: { crawl_id, ...body }, signal }): Promise<Draft> {
    return startedBy(await api('POST', `/v1/crawls/${crawl_id}/fork`, { body, signal }))
  },
}

const crawlStatus: Tool = {
  title: 'Status of a crawl',
  description:
    'Return the status of a crawl (queued, running, done, failed or cancelled) and the numbers of its fetched, failed, skipped and pending URLs. Wait some seconds between calls. Free.',
  input: { crawl_id: crawlId },
  required: ['crawl_id'],
  output: {
    crawl_id: count,
    status: text,
    stop_reason: textOrNull,
    pages: count,
    errors: count,
    pending: count,
  },
  hints: reads(false),
  async run({ api, args, signal }): Promise<Draft> {
    const path = `/v1/crawls/${args.crawl_id}`
    // One after the other, so that an unknown crawl costs one request.
    const run = await api('GET', path, { signal })
    const coverage = await api('GET', `${path}/coverage`, { signal })
    const { discovered, fetched, failed, skipped, duplicate, not_reached, pending } = coverage.body
    return {
      facts: {
        crawl_id: run.body.id,
        status: run.body.status,
        stop_reason: run.body.stop_reason,
        error_message: run.body.error_message,
        pages: run.body.page_count,
        errors: run.body.error_count,
        discovered,
        fetched,
        failed: failed.total,
        skipped: skipped.total,
        duplicate,
        not_reached: not_reached.total,
        pending,
      },
    }
  },
}

const lastAttempts = 5

const explainUrl: Tool = {
  title: 'Why a URL was crawled or not',
  description:
    'Explain the result of one URL in a crawl: how it was found, the rule that decided, each attempt, and the changes that would lead to another result. Free.',
  input: { crawl_id: crawlId, url },
  required: ['crawl_id', 'url'],
  output: {
    url: text,
    verdict: text,
    page_id: countOrNull,
    what_would_change: { type: 'array', items: text },
  },
  hints: reads(false),
  async run({ api, args, signal }): Promise<Draft> {
    const query = { url: args.url }
    const answer = await api('GET', `/v1/crawls/${args.crawl_id}/explain`, { query, signal })
    const { body } = answer
    const failed = body.rules.find(({ passed }: Facts) => !passed)
    return {
      facts: {
        url: body.url,
        verdict: body.verdict,
        page_id: body.page_id,
        decided_by: failed && { rule: failed.rule, because: failed.because },
        found: body.found && {
          from_url: body.found.from_url,
          anchor: body.found.anchor,
          depth: body.found.depth,
        },
        duplicate_of: body.duplicate_of,
        attempts: body.attempts
          .slice(-lastAttempts)
          .map(({ attempt, by, outcome, reason }: Facts) => ({ attempt, by, outcome, reason })),
        redirects: body.redirects.slice(-lastAttempts).map(({ from, to }: Facts) => ({ from, to })),
        what_would_change: body.what_would_change,
        ...notes(answer),
      },
    }
  },
}

export const crawlTools: Readonly<Record<string, Tool>> = {
  map_site: mapSite,
  start_crawl: startCrawl,
  crawl_status: crawlStatus,
  explain_url: explainUrl,
}
