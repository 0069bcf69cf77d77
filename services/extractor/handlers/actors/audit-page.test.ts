/** The input of an audit besides the page: delivery data, and facts about its site. */
import { encodeJson } from '@tidemark/bus/codec'
import { Refusal } from '@tidemark/bus/refusal'
import { test } from 'tap'
import type { Fetched, FetchPage } from '../../adapters/fetch-now.ts'
import { sitePolicyOf } from '../../domain/site-policy.ts'
import type { ReadSiteFile } from '../site-files.ts'
import { createSitePolicies, type ReadSitePolicy } from '../site-policy.ts'
import { auditPage } from './audit-page.ts'
import type { ReadingRequest } from './read-seen.ts'

const file = { fetchedAt: '2026-01-02T03:04:05.678Z', status: 200, error: null, text: null, truncated: false }
const robots = { ...file, text: 'User-agent: *\nDisallow: /kept\nUser-agent: GPTBot\nDisallow: /\n' }
const policy = sitePolicyOf('https://a.example', { robots, llms: file, llmsFull: null })
const page: Fetched = {
  ...{ is: 'fetched', url: 'https://a.example/kept?a=b', status: 200, hops: [], contentType: 'text/html' },
  ...{
    robotsHeader: null,
    headers: { etag: '"1"' },
    encodings: [],
    elapsedMs: 12,
    body: Buffer.from('<p>Hi'),
  },
}

/** Audits with these ports; returns the thread's requests and the origins. */
async function audit(fetched: Partial<Fetched>, sitePolicy: ReadSitePolicy = async () => policy) {
  const requested: { seen?: ReadingRequest; origins: string[]; fetched?: Parameters<FetchPage>[0] } = {
    origins: [],
  }
  await auditPage(
    {
      maxBytes: 1_000,
      maxDecodedBytes: 1_000,
      thread: {
        expect: () => {},
        see: async request => {
          requested.seen = request
          return {
            json: encodeJson({ data: {}, challenge: null, warnings: [] }),
            challenge: null,
            isShell: false,
          }
        },
      },
      fetchPage: async request => {
        requested.fetched = request
        return { ...page, ...fetched }
      },
      sitePolicy: (origin, wanted) => {
        requested.origins.push(origin)
        return sitePolicy(origin, wanted)
      },
    },
    { workId: -1, projectId: 7, url: page.url, timeoutMs: 1_000 },
  )
  const { reading } = requested.seen ?? {}
  return { ...requested, context: reading?.as === 'audit' ? reading.context : undefined }
}

test('An audit', async t => {
  await t.test('gets the redirects of the page, its delivery, and the texts of its site', async t => {
    const hops = [{ url: 'https://a.example/old', status: 301 }]
    const wordy = { ...policy, llmsStatus: 203, llmsTxt: 'x'.repeat(5_000) }
    const { context, fetched, seen } = await audit({ hops }, async () => wordy)
    t.match(fetched, { tellsDelivery: true, cuts: false })
    t.match(seen?.page, { url: page.url, headers: { etag: '"1"' } })
    t.match(context, {
      ...{ hops, elapsedMs: 12, knowsDelivery: true },
      site: {
        robotsStatus: 200,
        googlebot: { allowed: false, rule: '/kept' },
        aiBots: { GPTBot: 'disallowed', 'OAI-SearchBot': 'partial' },
        llms: { status: 203, text: 'x'.repeat(2_000) },
      },
    })
    t.ok(Date.parse(context?.fetchedAt ?? '') <= Date.now())
  })

  await t.test('reads the site of the final URL', async t => {
    const { context, origins } = await audit({ url: 'https://b.example/' })
    t.strictSame(origins, ['https://a.example', 'https://b.example'])
    t.match(context?.site?.googlebot, { allowed: true })
  })

  await t.test('waits for its site as long as for one text', async t => {
    const waits: number[] = []
    const late = { ...file, status: null, error: { reason: 'timeout', message: 'Too late.' } }
    const readFile: ReadSiteFile = async (_origin, name, { timeoutMs }) => {
      waits.push(timeoutMs)
      return name === 'robots' ? robots : late
    }
    const { context } = await audit({}, createSitePolicies(readFile))
    t.strictSame(waits, [5_000, 5_000], 'each is requested once, both concurrently')
    t.match(context?.site, { robotsStatus: 200, llms: { status: null, text: null } })
  })

  await t.test('has no site if its facts are unknown', async t => {
    const late = { ...policy, robotsError: { reason: 'timeout', message: 'Too late.' } }
    const dropped = { ...policy, robotsStatus: null, robotsError: { reason: 'aborted', message: 'Gone.' } }
    t.equal((await audit({}, async () => dropped)).context?.site, null)
    for (const reason of ['dns', 'connect', 'tls', 'protocol']) {
      const cut = { ...dropped, robotsError: { reason, message: 'It closed the connection.' } }
      const { context } = await audit({}, async () => cut)
      t.match(context?.site, { robotsStatus: null }, 'but an unreachable site is reported as such')
    }
    const away = new Refusal({ status: 503, code: 'unavailable', message: 'No fetcher responded.' })
    t.equal((await audit({}, async () => late)).context?.site, null)
    t.equal((await audit({}, () => Promise.reject(away))).context?.site, null)
    await t.rejects(
      audit({}, () => Promise.reject(new TypeError('a fault of ours'))),
      TypeError,
    )
  })
})
