/** API reference of the actor that finds broken links. */

import type { Operations } from '../../reference/operation.ts'
import { spentPages } from '../../reference/parts.ts'
import { answersOf, refusesPage } from '../reference.ts'

const home = 'https://example.com/'
const of = { recovered_via_cloud: false, error: null, reason: null }

const checked = {
  source_url: home,
  total: 4,
  ok: 2,
  broken: 1,
  excluded: 1,
  cloud_retried: 1,
  cloud_recovered: 1,
  cloud_cost_usd: 0,
  items: [
    {
      ...of,
      url: 'https://example.com/pricing',
      status_code: 200,
      status: 'ok',
      kind: 'link',
      redirected_to: 'https://example.com/prices',
      redirects: [{ url: 'https://example.com/pricing', status: 301 }],
    },
    {
      ...of,
      url: 'https://example.com/docs#instal',
      status_code: 200,
      status: 'broken',
      error: 'fragment not found',
      reason: 'fragment_not_found',
      kind: 'link',
      anchor: 'missing',
    },
    {
      ...of,
      url: 'https://shop.example.net/',
      status_code: 200,
      status: 'ok',
      recovered_via_cloud: true,
      kind: 'link',
    },
    {
      ...of,
      url: 'mailto:ada@example.com',
      status_code: null,
      status: 'excluded',
      error: 'Addresses that begin with mailto: are not checked.',
      reason: 'scheme',
      kind: 'link',
    },
  ],
}

export const linkActors: Operations = {
  checkLinks: {
    body: { url: home, cloud_retry: true },
    answer: {
      ...answersOf('Each link and its result.', {
        actor: 'check-links',
        url: home,
        elapsed_ms: 5310,
        final_url: home,
        status_code: 200,
        data: checked,
      }),
      headers: ['X-Pages-Billed', 'X-Cloud-Pages-Billed', 'Vary'],
    },
    refuses: {
      ...refusesPage,
      invalid_input: [...refusesPage.invalid_input, 'required', 'conflicting_fields', 'out_of_range'],
      too_many_requests: ['actor_requests', 'concurrent_requests', ...spentPages],
    },
    refusesAs: { 400: { invalid_input: ['too_many_urls'] } },
  },
}
