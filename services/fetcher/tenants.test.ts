/** The tenant of requests and rendered pages: projects share slots fairly, however many pieces of work each has. */
import type { RenderJob } from '@tidemark/browser/job'
import { RenderError } from '@tidemark/browser/render-error'
import { FetchError } from '@tidemark/http/fetch-error'
import { openFilteringProxy } from '@tidemark/http/filtering/filtering-proxy'
import { createGuard } from '@tidemark/http/guard'
import { resolverOf } from '@tidemark/http/resolve'
import { test } from 'tap'
import { browserBackend } from './backends/browser.ts'
import { openBodyMemory } from './concurrency/body-memory.ts'
import { ByteBudget } from './concurrency/byte-budget.ts'
import type { SendClaim } from './concurrency/request-scheduler.ts'
import { orders } from './fetcher.scene.ts'
import { answerFetch } from './handlers/answer-fetch.ts'
import { logIn } from './handlers/log-in.ts'
import { renderPage } from './handlers/render-page.ts'

const url = 'http://a.test/'
const request = { url, maxHops: 0, maxBytes: 100, cuts: false, timeoutMs: 10_000 }
const { signal } = new AbortController()

test('A synchronous request counts for its project, and without one for its work', async t => {
  const claims: SendClaim[] = []
  const answer = answerFetch({
    chooseBackend: () => async () => ({ error: new FetchError('timeout') }),
    acquireSendPermit: async one => {
      claims.push(one)
      return { sent() {}, responseBegan() {}, ended() {}, landed() {}, [Symbol.dispose]() {} }
    },
    packBody: async () => null,
    dropped: { watch: () => ({ signal, [Symbol.dispose]() {} }) },
    lentBodies: { lend() {}, discard() {} },
    reading: new ByteBudget(1),
    maxBytes: 100,
    hardStop: signal,
  })
  await answer({ ...request, workId: -8, projectId: 7 })
  await answer({ ...request, workId: -9, projectId: 7 })
  await answer({ ...request, workId: -9 })
  t.strictSame(
    claims.map(({ tenant, runId }) => ({ tenant, runId })),
    [
      { tenant: 7, runId: -8 },
      { tenant: 7, runId: -9 },
      { tenant: -9, runId: -9 },
    ],
  )
})

test('A rendered page counts for the project of its request or run', async t => {
  const jobs: RenderJob[] = []
  await using proxy = await openFilteringProxy()
  const render = browserBackend({
    browser: async () => async job => {
      jobs.push(job)
      throw new RenderError('timeout')
    },
    proxy,
    clients: {
      guard: createGuard({ allow: [], allowPeers: [] }),
      resolver: resolverOf({ DNS_SERVERS: [] }),
      connectTimeoutMs: 1_000,
      connectionsPerOrigin: 1,
    },
    egress: null,
    clock: { take: async () => 0, sent() {}, responseBegan() {}, backOff: async () => {} },
    findBlocked: () => null,
    nameOf: () => undefined,
    sign: null,
    block: [],
    maxBytes: 100,
    maxMs: 1_000,
  })
  const limits = { maxBytes: 100, timeoutMs: 1_000 }
  const packBody = async () => null
  using bodyMemory = openBodyMemory(new ByteBudget(1))
  const context = { ...limits, bodyMemory, onSent() {}, onResponse() {}, signal }
  const by = { backend: 'browser', waitFor: 'load', picture: false } as const
  await render({ ...request, workId: -8, projectId: 7 }, by, context)
  await render({ ...request, workId: -9 }, by, context)
  const steps = [{ type: 'goto', url }]
  const login = logIn({ render, open: () => JSON.stringify(steps), seal: text => text, ...limits })
  for (const { send } of [renderPage({ render, packBody, ...limits }), login]) {
    const work = orders(5, [url], { projectId: 7, login: 'sealed' })
    for (const order of work.orders) await send(work, order, { headers: {}, session: [], ...context })
  }
  t.strictSame(
    jobs.map(({ client }) => client),
    ['7', '-9', '7', '7'],
  )
})
