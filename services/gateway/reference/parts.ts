/** Words that several features share. */

/** Why a site is not requested, or does not answer. */
export const badSite = ['bad_url', 'private_address', 'blocked_domain'] as const
export const unreachable = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'too_large',
  'too_many_redirects',
  'protocol',
] as const

/** The spending limits of a project. */
export const spentPages = ['daily_pages', 'monthly_pages', 'free_results'] as const

/** Why a crawl is not read as of a time. */
export const asOfRefusals = {
  not_found: [null, 'before_crawl'],
  too_many_requests: ['concurrent_requests'],
} as const

export const metadata = {
  title: 'Example',
  description: 'A site of examples.',
  canonical: 'https://example.com/',
  lang: 'en',
  robots: ['index', 'follow'],
  og: { title: 'Example', image: 'https://example.com/og.png', type: 'website' },
  twitter: { card: 'summary' },
  json_ld: [{ '@context': 'https://schema.org', '@type': 'WebSite', name: 'Example' }],
}

/** The attempts for a page that blocked plain HTTP and not a browser. */
export const tried = [
  { backend: 'http', outcome: 'blocked', reason: 'Cloudflare', elapsed_ms: 212, cost_usd: 0 },
  { backend: 'browser', outcome: 'got', reason: null, elapsed_ms: 2904, cost_usd: 0 },
]

/** The URLs that a crawl has skipped as traps, by rule: none. */
export const noneTrapped = {
  path_repetition: 0,
  path_depth: 0,
  calendar: 0,
  parameters: 0,
  session_id: 0,
  equal_content: 0,
}

/** The URLs that a crawl has not reached, by limit: none. */
export const noneNotReached = {
  total: 0,
  by_limit: {
    max_pages: 0,
    depth: 0,
    max_cost_usd: 0,
    max_bytes: 0,
    quota: 0,
    cancelled: 0,
    time_limit: 0,
    failed: 0,
    pattern_time: 0,
  },
}

/** A list with one item as NDJSON. */
export const asLines = (item: object) => ({
  'application/x-ndjson': { description: 'One item per line.', example: `${JSON.stringify(item)}\n` },
})

/** The other forms of a list, with one item. */
export const asRows = (item: object) => ({
  ...asLines(item),
  'text/csv': {
    description: 'RFC 4180: a header line, then one item per line.',
    example: `${Object.keys(item).join()}\r\n${Object.values(item).join()}\r\n`,
  },
})
