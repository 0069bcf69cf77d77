/** The audit of stored pages: pages that cannot be read, and the end of the work. */
import { encodeJson } from '@tidemark/bus/codec'
import { Refusal, refuse } from '@tidemark/bus/refusal'
import type { PageContent } from '@tidemark/content/store'
import { test } from 'tap'
import { auditPages } from './audit-pages.ts'
import type { ReadingRequest } from './read-seen.ts'

const kept: PageContent = {
  ...{ bodyHash: null, encodings: [], charset: null, contentType: 'text/html' },
  metadata: { elapsed_ms: 12, x_robots_tag: 'noindex' },
  headers: null,
  body: Buffer.from('<p>Hi'),
}
const fetchedAt = '2026-01-02T03:04:05.678Z'
const pageOf = (key: string) => ({ key, url: `https://a.example/${key}`, status: 200, fetchedAt })
const data = { findings: [], facts: null }

test('The audit of stored pages', async t => {
  const stored = new Map<string, PageContent | null>()
  const seen: ReadingRequest[] = []
  let see = async (_question: ReadingRequest): Promise<{ challenge: string | null }> => ({ challenge: null })
  const dropping = new AbortController()
  const audit = auditPages({
    store: {
      async readPage(_run, key) {
        if (key === 'unreadable') throw new Error('the database is unavailable')
        return stored.has(key) ? (stored.get(key) ?? null) : kept
      },
    },
    thread: {
      expect: () => {},
      see: async request => {
        seen.push(request)
        const { challenge } = await see(request)
        return { json: encodeJson({ data, challenge, warnings: [] }), challenge: null, isShell: false }
      },
    },
    dropped: { watch: () => ({ signal: dropping.signal, [Symbol.dispose]() {} }) },
    maxDecodedBytes: 1_000,
  })
  const send = async (...keys: string[]) =>
    (await audit({ workId: -1, projectId: 7, runId: 1, pages: keys.map(pageOf), inDetail: false })).pages

  await t.test('passes on what the store has of a page', async t => {
    t.strictSame(await send('a'), [data])
    t.match(seen, [
      {
        reading: { as: 'site', fetchedAt, elapsedMs: 12, inDetail: false },
        page: { url: 'https://a.example/a', status: 200, headers: { 'x-robots-tag': 'noindex' } },
      },
    ])
  })

  await t.test('reports each page that cannot be read, and audits the others', async t => {
    stored.set('bodiless', { ...kept, body: null })
    stored.set('gone', null)
    stored.set('corrupt', { ...kept, encodings: ['gzip'] })
    stored.set('large', { ...kept, body: Buffer.alloc(1_001) })
    see = async ({ page: { url } }) => {
      if (url.endsWith('/slow')) throw refuse('fetch_failed', { reason: 'timeout', message: 'Slow.' })
      return { challenge: url.endsWith('/challenge') ? 'a vendor' : null }
    }
    t.strictSame(await send('bodiless', 'gone', 'corrupt', 'large', 'slow', 'challenge', 'fine'), [
      ...['not_stored', 'not_stored', 'undecodable', 'too_large', 'timeout', 'blocked'].map(unread => ({
        unread,
      })),
      data,
    ])
  })

  await t.test('is not stopped by a page that it has no time for', async t => {
    const { now } = performance
    t.teardown(() => {
      performance.now = now
    })
    let ms = 0
    performance.now = () => ms
    see = async () => {
      ms += 11_000
      return { challenge: null }
    }
    t.strictSame(await send('slow', 'unreadable'), [data])
    await t.rejects(send('unreadable'), /unavailable/, 'but by one that it reads')
  })

  await t.test(
    'is refused if the thread is busy or a fault is ours, or when its client has left',
    async t => {
      see = () => Promise.reject(refuse('unavailable'))
      await t.rejects(send('a', 'b'), Refusal)
      see = () => Promise.reject(new TypeError('a fault of ours'))
      await t.rejects(send('a'), TypeError)
      see = async () => ({ challenge: null })
      dropping.abort()
      await t.rejects(send('a', 'b'), { code: 'unavailable' })
    },
  )
})
