import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { test } from 'tap'
import { deadLetterOrders } from './dead-letter-orders.ts'

test('The failure of a terminated order names its kind if its run needs it', async t => {
  const outcomes: Outcome[] = []
  const fail = deadLetterOrders({
    page: async () => {},
    outcome: async outcome => void outcomes.push(outcome),
  })
  const url = 'https://site.test/sitemap.xml'
  const order = (kind: FetchOrder['kind']): FetchOrder => ({ kind, key: 'AAAAAAAAAAA', url, attempt: 2 })
  const work: FetchOrders = {
    ...{ runId: 1, projectId: 1, scope: { host: 'site.test', subdomains: false } },
    ...{ delayMs: 0, concurrency: null, storeHtml: true },
    orders: [order('page'), order('sitemap'), order('robots'), order('login')],
  }
  await fail(work, { sequence: 5 })
  const about = { runId: 1, key: 'AAAAAAAAAAA', attempt: 2, reason: 'given_up', transient: false }
  const failed = { type: 'failed', ...about, retryAfterMs: 0 }
  t.same(outcomes, [
    failed,
    { ...failed, kind: 'sitemap' },
    { type: 'robots_failed', ...about, origin: 'https://site.test' },
    failed,
  ])
})
