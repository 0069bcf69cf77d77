/** API reference of the actors that answer for one page. */

import type { Answer, Operation, Operations } from '../reference/operation.ts'
import { badSite, spentPages, unreachable } from '../reference/parts.ts'

/** The progress events, which have the same form for every actor. */
const followed = {
  'text/event-stream': {
    description: 'With `Accept: text/event-stream`: progress events, then the response.',
    example: 'event: progress\ndata: {"stage":"reading the page"}\n\nevent: result\ndata: {"actor":…}\n\n',
  },
}

/** Returns the parts that the answers of all actors share. */
export const answersOf = (description: string, example: object): Answer => ({
  description,
  headers: ['X-Pages-Billed', 'Vary'],
  example,
  otherwise: followed,
})

const page = 'https://example.com/tides'
const ofPage = { url: page, elapsed_ms: 412, final_url: page, status_code: 200 }

export const refusesPage = {
  invalid_input: [...badSite, 'bad_value'],
  too_many_requests: [...spentPages, 'concurrent_requests'],
  fetch_failed: [...unreachable, 'blocked'],
  not_configured: [],
} as const

const article = {
  format: 'markdown',
  content: 'High water comes [twice](https://example.com/why) a day.\n',
  word_count: 6,
  reading_time_seconds: 2,
  wpm: 230,
  metadata: {
    title: 'Tides',
    byline: 'Ada Byron',
    site_name: 'Example',
    published: '2026-01-02',
    modified: null,
    lang: 'en',
    description: null,
    excerpt: 'High water comes twice a day.',
    image: 'https://example.com/tides.png',
    canonical: page,
    page_kind: 'article',
    confidence: 0.51,
  },
  comments: null,
}

const structured = {
  counts: { 'json-ld': 1, microdata: 0, rdfa: 0, opengraph: 1, dublincore: 0, microformat: 0 },
  data: {
    'json-ld': [{ '@context': 'https://schema.org', '@type': 'Article', headline: 'Tides' }],
    microdata: [],
    rdfa: [],
    opengraph: [{ 'og:title': ['Tides'] }],
    dublincore: [],
    microformat: [],
  },
  errors: [{ syntax: 'json-ld', reason: 'unexpected-end', block: 1, position: 26 }],
}

const audited = {
  summary: { errors: 1, warnings: 0, info: 0 },
  findings: [
    {
      rule: 'img/alt-missing',
      severity: 'error',
      message: 'An image has no alt attribute. Describe the image; use alt="" for decoration.',
      count: 1,
      samples: ['/tides.png'],
    },
  ],
  stats: {
    word_count: 412,
    link_count: 18,
    image_count: 1,
    heading_count: 4,
    html_bytes: 9214,
    text_bytes: 2466,
    content_ratio: 0.2676,
    has_json_ld: true,
  },
}

const side = {
  word_count: 12,
  link_count: 3,
  heading_count: 1,
  json_ld_count: 0,
  html_bytes: 2281,
  text_chars: 61,
  final_url: page,
  status_code: 200,
}

const rendered = {
  static: side,
  rendered: { ...side, word_count: 84, link_count: 4, heading_count: 2, html_bytes: 3120, text_chars: 402 },
  delta: {
    links_only_after_render: ['https://example.com/moon'],
    headings_only_after_render: ['The moon'],
    json_ld_only_after_render: [],
    counts_only_after_render: { links: 1, headings: 1, json_ld: 0 },
    text_chars_only_after_render: 341,
    ai_bot_blind_pct: 84.8,
    assessment: 'severe',
  },
  rendered_cost_usd: 0,
}

export const actors: Operations = {
  extractArticle: {
    body: { url: page, format: 'markdown', include_comments: false, wpm: 230 },
    answer: answersOf('The article and its metadata.', {
      actor: 'extract-article',
      ...ofPage,
      data: article,
    }),
    refuses: { ...refusesPage, invalid_input: [...refusesPage.invalid_input, 'out_of_range'] },
  },
  extractStructuredData: {
    body: { url: page },
    answer: answersOf('The structured data in each syntax, and the errors in it.', {
      actor: 'structured-data',
      ...ofPage,
      data: structured,
    }),
    refuses: refusesPage,
  },
  auditOnpage: {
    body: { url: page },
    answer: answersOf('The findings, errors first, and the counts of the page.', {
      actor: 'audit-onpage',
      ...ofPage,
      data: audited,
    }),
    refuses: refusesPage,
  },
  diffRendered: {
    body: { url: page },
    answer: answersOf('Both versions, and the parts that the first one lacks.', {
      actor: 'render-diff',
      ...ofPage,
      elapsed_ms: 2904,
      data: rendered,
    }),
    refuses: refusesPage,
  } satisfies Operation,
}
