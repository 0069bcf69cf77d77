/** API reference of the endpoints that read sites without a crawl: scans, maps and policies. */
import type { Operations } from '../reference/operation.ts'
import { badSite, metadata, spentPages, tried, unreachable } from '../reference/parts.ts'

const signals = {
  title: 'Example',
  description: 'A site of examples.',
  canonical: 'https://example.com/',
  lang: 'en',
  h1: ['Example'],
  h2: [],
  h3: [],
  robots_meta: ['index', 'follow'],
  jsonld_types: ['WebSite'],
  hreflang: { de: 'https://example.com/de/' },
  ai_directives: {
    noai: false,
    noimageai: false,
    meta: {},
    x_robots_tag: {},
    content_signals: { 'ai-train': 'no' },
    content_usage: {},
    tdm_reservation: null,
    tdm_policy: null,
  },
  word_count: 131,
  char_count: 842,
  links: { internal: 12, external: 3, nofollow: 1, total: 15 },
}

const scanned = {
  url: 'https://example.com/',
  final_url: 'https://example.com/',
  status: 200,
  bytes: 2281,
  fetched_at: '2026-01-02T03:04:06.331Z',
  content_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  content_type: 'text/html; charset=utf-8',
  cached: false,
  blocked: false,
  metadata,
  signals,
  ai_bot_policy: { GPTBot: 'partial', ClaudeBot: 'unspecified' },
  llms_txt: null,
  markdown: '# Example\n\n[Prices](https://example.com/pricing)\n',
}

const map = {
  url: 'https://example.com/',
  items: [
    { url: 'https://example.com/pricing', title: 'Prices', lastmod: '2026-01-02', source: 'sitemap' },
    { url: 'https://example.com/docs/', title: 'Docs', source: 'link' },
  ],
  total: 240,
  truncated: true,
  sources: {
    robots: { url: 'https://example.com/robots.txt', status: 200, error: null },
    sitemaps: [{ url: 'https://example.com/sitemap.xml', status: 200, urls: 238, sitemaps: 0, cut: null }],
    home_page: { url: 'https://example.com/', status: 200, links: 15, error: null },
  },
}

export const scans: Operations = {
  scanPage: {
    body: { url: 'https://example.com/', only_main_content: true, extract: { title: 'h1' } },
    answer: {
      headers: ['X-Pages-Billed', 'X-Cloud-Pages-Billed'],
      description: 'The page. `status` is the HTTP status of the site, which can be a 404.',
      examples: {
        plain: { ...scanned, extracted: { title: 'Example' } },
        cloud: { ...scanned, backend: 'browser', tried, cost_usd: 0, screenshot: 'iVBORw0KGgo=' },
      },
    },
    refuses: {
      invalid_input: [...badSite, 'bad_value', 'conflicting_fields'],
      conflict: ['model_consent'],
      too_many_requests: [...spentPages, 'cloud_pages', 'model_calls'],
      fetch_failed: [...unreachable, 'vendor'],
      not_configured: [],
    },
  },
  scanPages: {
    body: { urls: ['https://example.com/', 'https://example.org/missing-host'], concurrency: 8 },
    answer: {
      headers: ['X-Pages-Billed'],
      description: 'One item per URL, in the order of the request. A failed item does not affect the others.',
      example: {
        items: [
          {
            url: 'https://example.com/',
            ok: true,
            result: {
              ...scanned,
              article: 'A site of examples.',
              article_html: '<p>A site of examples.</p>',
              llms_full_txt: null,
            },
          },
          {
            url: 'https://example.org/missing-host',
            ok: false,
            error: 'fetch failed: The name of the host is not known.',
            reason: 'dns',
          },
        ],
      },
    },
    refuses: { invalid_input: ['bad_value'], too_many_requests: [...spentPages, 'concurrent_requests'] },
    refusesAs: { 400: { invalid_input: ['too_many_urls'] } },
  },
  deleteScans: {
    answer: {
      description: 'The number of deleted pages, which is 0 if none was stored.',
      example: { deleted: 1 },
    },
    refuses: { invalid_input: ['bad_url'] },
  },
  mapSite: {
    body: { url: 'https://example.com/', limit: 100, search: 'pricing docs' },
    answer: {
      headers: ['X-Pages-Billed'],
      description: 'The URLs, and the sources that list them.',
      example: map,
    },
    refuses: {
      invalid_input: badSite,
      too_many_requests: ['concurrent_requests'],
      fetch_failed: unreachable,
    },
  },
  readRobotsPolicy: {
    answer: {
      description: 'The rules of the site, at most an hour old.',
      headers: ['X-Pages-Billed', 'ETag'],
      example: {
        url: 'https://example.com/drafts/1',
        robots_txt: 'User-agent: *\nDisallow: /drafts/\n',
        llms_txt: null,
        ai_bot_policy: { GPTBot: 'partial', ClaudeBot: 'partial' },
        robots_status: 200,
        content_signals: {},
        fetched_at: '2026-01-02T03:04:05.678Z',
        verdict: { user_agent: 'GPTBot', allowed: false, rule: '/drafts/', agent: '*' },
      },
    },
    refuses: {
      invalid_input: badSite,
      too_many_requests: ['concurrent_requests'],
      fetch_failed: unreachable,
    },
  },
}
