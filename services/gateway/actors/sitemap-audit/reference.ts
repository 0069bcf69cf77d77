/** API reference of the actor that audits sitemaps. */

import type { Operations } from '../../reference/operation.ts'
import { spentPages } from '../../reference/parts.ts'
import { answersOf, refusesPage } from '../reference.ts'

const home = 'https://example.com/'
const sitemap = 'https://example.com/sitemap.xml'
const unsaid = { x_robots_tag: null, meta_robots: null, error: null, redirected_to: null, challenge: null }

const audited = {
  sitemaps_found: [sitemap],
  total_urls_in_sitemap: 3,
  total_urls_probed: 3,
  total_urls_refused: 0,
  pages_billed: 3,
  summary: {
    ok: 1,
    redirect: 1,
    client_error: 0,
    server_error: 0,
    noindex: 1,
    canonicalised_away: 0,
    network_error: 0,
  },
  items: [
    {
      ...unsaid,
      url: 'https://example.com/tides',
      status_code: 200,
      bucket: 'ok',
      canonical: 'https://example.com/tides',
      lastmod: '2026-01-02',
      found_in: sitemap,
    },
    {
      ...unsaid,
      url: 'https://example.com/moons',
      status_code: 301,
      bucket: 'redirect',
      canonical: null,
      lastmod: null,
      redirected_to: 'https://example.com/moon',
      found_in: sitemap,
    },
    {
      ...unsaid,
      url: 'https://example.com/drafts',
      status_code: 200,
      bucket: 'noindex',
      canonical: null,
      meta_robots: 'noindex, follow',
      lastmod: null,
      found_in: sitemap,
    },
  ],
  sitemaps: [
    {
      url: sitemap,
      status: 200,
      urls: 3,
      repeated: 0,
      images: 2,
      videos: 0,
      alternates: 0,
      sitemaps: 0,
      unusable: 0,
      error: null,
      message: null,
    },
  ],
  lastmod_problems: { future: 0, unreadable: 0 },
}

export const sitemapActors: Operations = {
  auditSitemaps: {
    body: { url: home, max_urls: 500 },
    answer: answersOf('The listed pages and the result of each probe.', {
      actor: 'sitemap-audit',
      url: home,
      elapsed_ms: 912,
      data: audited,
    }),
    refuses: {
      ...refusesPage,
      invalid_input: [...refusesPage.invalid_input, 'required', 'out_of_range'],
      too_many_requests: ['actor_requests', 'concurrent_requests', ...spentPages],
    },
  },
}
