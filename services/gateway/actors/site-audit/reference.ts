/** API reference of the actor that audits the pages of a crawl. */
import type { SiteAudit, SiteFinding } from '@tidemark/contracts/http/actors/audit-site'
import type { Operations } from '../../reference/operation.ts'
import { spentPages } from '../../reference/parts.ts'
import { answersOf } from '../reference.ts'

const old = 'https://example.com/old-offer'

const audit: SiteAudit = {
  crawl_id: 42,
  against: 41,
  summary: {
    pages: 120,
    audited: 119,
    not_audited: { blocked: 1 },
    findings: 2,
    errors: 2,
    warnings: 0,
    info: 0,
    new: 1,
    same: 1,
    gone: 0,
    gone_with_page: 0,
    not_compared: 0,
  },
  rules: [
    {
      rule: 'site/broken-link',
      severity: 'error',
      finds:
        'A link to a URL of the site that responds with an error (4xx, 5xx) or does not respond, also behind a redirect',
      reason: 'Visitors reach an error, and crawlers lose the way to the page.',
      remedy: 'Correct or remove the links, or restore the pages.',
      source: {
        name: 'Google Search Central: HTTP status codes',
        url: 'https://developers.google.com/search/docs/crawling-indexing/http-network-errors',
      },
      count: 2,
      share: 0.0168,
      occurrences: 2,
      new: 1,
      same: 1,
      gone: 0,
      examples: [
        {
          url: 'https://example.com/pricing',
          page_id: 51,
          message: 'A link leads to a broken URL. Correct or remove the links, or restore the pages.',
          count: 1,
          samples: [old],
          pagerank: 0.031179752809,
          change: 'new',
        },
      ],
    },
  ],
  not_applied: [
    {
      rule: 'compression/missing',
      because: 'audit-site does not read the stored response headers, except X-Robots-Tag',
    },
  ],
}

const finding: SiteFinding = {
  change: 'new',
  rule: 'site/broken-link',
  severity: 'error',
  url: 'https://example.com/pricing',
  page_id: 51,
  count: 1,
  samples: [old],
  pagerank: 0.031179752809,
}

const answer = answersOf('The findings of all pages, by rule.', {
  actor: 'audit-site',
  url: 'crawl:42',
  elapsed_ms: 2140,
  data: audit,
})

export const siteActors: Operations = {
  auditSite: {
    body: { crawl_id: 42, against: 41, examples: 5 },
    answer: {
      ...answer,
      headers: ['X-Pages-Billed', 'Content-Disposition', 'Vary'],
      otherwise: {
        ...answer.otherwise,
        'application/x-ndjson': {
          description: 'One finding per line.',
          example: `${JSON.stringify(finding)}\n`,
        },
        'text/csv': {
          description: 'A header line, then one finding per line.',
          example: `change,rule,severity,url,page_id,count,samples,pagerank\r\nnew,site/broken-link,error,https://example.com/pricing,51,1,${old},0.031179752809\r\n`,
        },
      },
    },
    refuses: {
      invalid_input: ['required', 'wrong_type', 'out_of_range', 'bad_value'],
      not_found: [],
      too_many_requests: ['actor_requests', 'concurrent_requests', ...spentPages],
      fetch_failed: ['timeout', 'too_large'],
    },
  },
}
