/** Stored pages of scans: when they are written, and by which names they are found again. */
import type { StoredScan } from '@tidemark/content/scans/scans'
import type { BackendChoice } from '@tidemark/contracts/rpc/backends'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { createScanRecorder, type FetchedScan } from './adapters/scan-recorder.ts'
import { nameOfMeans } from './domain/scan-means.ts'

const fetched = (name: string, bytes = 10): FetchedScan => {
  const body = Buffer.alloc(bytes, name)
  return {
    ...{ projectId: 1, tier: 'free', means: '', requestedUrl: `https://example.com/${name}#part` },
    ...{ url: 'https://example.com/', status: 200, contentType: null, fetchedAt: '2026-01-02T03:04:05.678Z' },
    ...{ headers: {}, body, encodings: [], decoded: body },
    site: { aiBotPolicy: null, llmsTxt: 'x\n'.repeat(100_000), llmsFullTxt: null },
  }
}

test('Pages of scans', async t => {
  await t.test('are written several at once, one write at a time, and within bounds', async t => {
    const writes: (readonly StoredScan[])[] = []
    const errors: unknown[] = []
    const gates: PromiseWithResolvers<void>[] = []
    const store = (scans: readonly StoredScan[]): Promise<void> => {
      writes.push(scans)
      const gate = Promise.withResolvers<void>()
      gates.push(gate)
      return gate.promise
    }
    const recorder = createScanRecorder(
      { store },
      { report: error => errors.push(error), waitMs: 5, maxBytes: 100 },
    )
    recorder.record(fetched('a'))
    recorder.record(fetched('b'))
    t.strictSame(writes, [], 'not before the answer')
    await until(async () => writes.length === 1)
    t.match(writes[0], [{ status: 200, body: { size: 10 } }, { body: { size: 10 } }])
    t.not(writes[0]?.[0]?.urlKey, writes[0]?.[1]?.urlKey)
    t.ok((writes[0]?.[0]?.site?.size ?? 0) < 100_000, 'texts of the site are cut')
    recorder.record(fetched('c'))
    recorder.record(fetched('dropped', 25))
    recorder.record(fetched('e'))
    gates[0]?.reject(new Error('away'))
    await until(async () => writes.length === 2)
    t.match(errors, [{ message: 'away' }])
    t.equal(writes[1]?.length, 2, 'a page beyond the bound is dropped')
    recorder.record(fetched('f'))
    const ended = recorder[Symbol.asyncDispose]()
    for (let n = 1; n < 3; n++) {
      await until(async () => gates.length > n)
      gates[n]?.resolve()
    }
    await ended
    t.strictSame(
      writes.map(scans => scans.length),
      [2, 2, 1],
    )
  })

  t.test('are found by the same means only', t => {
    const all: { userAgent?: string; means?: BackendChoice }[] = [
      {},
      { userAgent: 'A/1' },
      { userAgent: 'A/2' },
      { means: { is: 'http' } },
      { means: { is: 'browser' } },
      { means: { is: 'auto', from: 'http', country: null } },
      { means: { is: 'auto', from: 'faithful', country: null } },
      { means: { is: 'auto', from: 'http', country: 'de' } },
      { means: { is: 'proxy', pool: 'isp', country: null } },
      { userAgent: 'A/1', means: { is: 'browser' } },
    ]
    const url = 'https://app.test/'
    const names = all.map(one => nameOfMeans({ url, ...one }))
    t.equal(new Set(names).size, all.length)
    t.equal(nameOfMeans({ url: `${url}#/orders` }), '', 'HTTP sends no fragment')
    const means = { country: null, from: 'http', is: 'auto' } as const
    t.equal(
      nameOfMeans({ url, means }),
      nameOfMeans({ url, means: { is: 'auto', from: 'http', country: null } }),
    )
    const routes = ['', '#/orders', '#/invoices'].map(route => nameOfMeans({ url: url + route, means }))
    t.equal(new Set(routes).size, routes.length, 'a browser shows each route of an application')
    t.end()
  })
})
