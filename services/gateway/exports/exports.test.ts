/** Exports in the API: requests with their refusals, and downloads by signed addresses. The extractor is a fake. */
import { createHash } from 'node:crypto'
import { refuse } from '@tidemark/bus/refusal'
import { serve } from '@tidemark/bus/rpc'
import type { ModelConsent } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import type { ExportFile, RequestExport, StoredView } from '@tidemark/contracts/rpc/exports'
import * as exportsRpc from '@tidemark/contracts/rpc/exports'
import type { ModelOffer } from '@tidemark/contracts/rpc/model'
import * as modelRpc from '@tidemark/contracts/rpc/model'
import { sealer } from '@tidemark/secrets/seal'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import { test } from 'tap'
import { caller, keyNamed, surroundings } from '../gateway.scene.ts'
import { finished, page, queued, settled, started } from '../read-model/projections/runs.examples.ts'
import { rangeOf } from './domain/byte-range.ts'
import { selectionOf } from './domain/export-request.ts'

const mine = keyNamed('m')
const foreign = keyNamed('f')
const unlimited = keyNamed('u')
const partBytes = 1_000_000

test('Exports', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32', EXPORT_URL_SECONDS: '60' } })
  const { standIns, bus, pool } = around
  standIns.addKey(mine, 7)
  standIns.addKey(foreign, 8)
  standIns.addKey(unlimited, 7, { unlimited: true })
  const { call, get, post, append } = caller(around, mine)
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const serving = { signal: stop.signal, report: () => {} }

  const createdAt = '2026-01-02T03:05:00.000Z'
  const known: {
    requests: RequestExport[]
    views: Map<number, StoredView>
    file: ExportFile['file']
    createdAt: string
  } = {
    ...{ requests: [], views: new Map(), file: null, createdAt },
  }
  const viewOf = ({ runId, format, select, sink }: RequestExport, id: number): StoredView => ({
    ...{ id, run_id: runId, format, select, sink, status: 'done', created_at: createdAt },
    ...{ finished_at: '2026-01-02T03:05:30.000Z', expires_at: '2026-01-09T03:05:30.000Z', error: null },
    ...{ records: 2, bytes: 2_500_000, sha256: 'a'.repeat(64) },
  })
  void serve(
    bus,
    exportsRpc.requestExport,
    async wanted => {
      if (wanted.format === 'warc') throw refuse('too_many_requests', { reason: 'exports' })
      const key = wanted.idempotencyKey
      const before = known.requests.findIndex(({ idempotencyKey }) => key !== null && idempotencyKey === key)
      const id = before < 0 ? known.requests.push(wanted) : before + 1
      const view = viewOf(known.requests[id - 1] ?? wanted, id)
      known.views.set(id, view)
      const sameRequest = known.requests[id - 1]?.fingerprint === wanted.fingerprint
      return { export: view, replayed: before >= 0, sameRequest }
    },
    serving,
  )
  void serve(
    bus,
    exportsRpc.getExport,
    async ({ projectId, exportId }) => ({
      export: (projectId === 7 && known.views.get(exportId)) || null,
    }),
    serving,
  )
  void serve(
    bus,
    exportsRpc.listExports,
    async ({ projectId, runId }) => ({
      exports: projectId === 7 ? [...known.views.values()].filter(({ run_id }) => run_id === runId) : [],
    }),
    serving,
  )
  void serve(
    bus,
    exportsRpc.deleteExport,
    async ({ projectId, exportId }) => ({ deleted: projectId === 7 && known.views.delete(exportId) }),
    serving,
  )
  void serve(
    bus,
    exportsRpc.findExportFile,
    async ({ exportId }) => ({
      found: known.views.has(exportId)
        ? { projectId: 7, createdAt: known.createdAt, file: known.file }
        : null,
    }),
    serving,
  )

  await append(1, queued(1), started, settled(page(1)), finished(1, 0))
  await append(2, queued(2), started)
  await until(async () => (await get('/v1/crawls/1')).json?.status === 'done')
  await until(async () => (await get('/v1/crawls/2')).status === 200)
  const s3 = {
    ...{ type: 's3', endpoint: 'http://127.0.0.1:9000', bucket: 'crawls', key: 'a/b.jsonl' },
    ...{ access_key_id: 'AKID', secret_access_key: 'the-secret-of-a-bucket' },
  }

  await t.test('are requested for a crawl that has ended, with sealed credentials', async t => {
    const body = { format: 'jsonl', select: { status: [200, 200], include: ['markdown'] }, sink: s3 }
    const answer = await post('/v1/crawls/1/exports', body)
    t.equal(answer.status, 202)
    t.equal(answer.headers.get('location'), '/v1/exports/1')
    t.match(answer.json, { id: 1, run_id: 1, status: 'done', select: { status: [200] }, download_url: null })
    t.notOk(answer.text.includes('secret'))
    const [wanted] = known.requests
    t.match(wanted, { projectId: 7, sink: { type: 's3', endpoint: 'http://127.0.0.1:9000' } })
    t.strictSame(wanted?.caps, { fileBytes: 5 * 1024 ** 3, keptBytes: 10 * 1024 ** 3 }, 'of its tier, pro')
    t.notOk(JSON.stringify(wanted).includes('the-secret'))
    t.same(JSON.parse(sealer('0'.repeat(64)).open(wanted?.credentials ?? '')), {
      ...{ accessKeyId: 'AKID', secretAccessKey: 'the-secret-of-a-bucket' },
    })
    t.match(await get('/v1/crawls/1/exports'), {
      status: 200,
      json: { items: [{ id: 1 }], next_offset: null },
    })
    t.match(await get('/v1/crawls/2/exports'), { status: 200, json: { items: { length: 0 } } })
  })

  await t.test('have no caps of a tier if the project is unlimited', async t => {
    const made = await caller(around, unlimited).post('/v1/crawls/1/exports', { format: 'sitemap' })
    t.equal(made.status, 202)
    t.strictSame(known.requests[made.json.id - 1]?.caps, { fileBytes: null, keptBytes: null })
  })

  await t.test('are created once for a key', async t => {
    const headers = { 'idempotency-key': 'once' }
    const first = await call('POST', '/v1/crawls/1/exports', { body: { format: 'sitemap' }, headers })
    const other = { body: { format: 'graph', select: { graph: 'csv' } }, headers }
    const again = await call('POST', '/v1/crawls/1/exports', other)
    t.equal(again.json.id, first.json.id)
    t.equal(again.headers.get('idempotent-replayed'), 'true')
    t.match(again.json.warnings, [/used before with another body/])
  })

  const embedded = { max_tokens: 512, embeddings: true }
  await t.test('have embeddings only of a model that the project has consented to', async t => {
    const offered: { embeddings: ModelOffer['model']; consent: ModelConsent | null } = {
      ...{ embeddings: null, consent: null },
    }
    const model = { name: 'small', host: 'models.test' }
    void serve(bus, modelRpc.offerModel, async () => ({ model, embeddings: offered.embeddings }), serving)
    void serve(bus, accountsRpc.readModelConsent, async () => ({ consent: offered.consent }), serving)
    await bus.nc.flush()
    const request = (select: object = { chunks: embedded }) =>
      post('/v1/crawls/1/exports', { format: 'parquet', select })
    const field = 'select.chunks.embeddings'
    const count = known.requests.length
    t.match(await request(), {
      status: 503,
      json: { error: { code: 'not_configured', field, message: /EMBEDDINGS_MODEL/ } },
    })
    offered.embeddings = { name: 'vectors', host: 'vectors.test' }
    for (const host of [null, 'models.test']) {
      offered.consent = host === null ? null : { host, by: 'x', at: createdAt }
      t.match(await request(), {
        status: 409,
        json: {
          error: { reason: 'model_consent', field, message: /vectors\.test.*PUT \/v1\/model-consent/ },
        },
      })
    }
    t.equal(known.requests.length, count, 'nothing is stored')
    offered.consent = { host: 'models.test vectors.test', by: 'x', at: createdAt }
    for (const tables of [undefined, ['pages', 'chunks']])
      t.match(await request({ chunks: embedded, tables }), {
        status: 202,
        json: { select: { chunks: embedded } },
      })
    offered.embeddings = null
    t.equal((await request({ chunks: { ...embedded, embeddings: false } })).status, 202)
  })

  await t.test('accept only_main_content with articles, like pages', t => {
    const select = { include: ['article' as const], only_main_content: true }
    t.strictSame(selectionOf({ format: 'jsonl', select }), select)
    t.end()
  })

  await t.test('are refused with the field, the reason and the remedy, and cost nothing', async t => {
    const faults: [body: object, status: number, field: string | undefined, reason: string, says: RegExp][] =
      [
        [{}, 400, 'format', 'required', /format is required/],
        [{ format: 'xml' }, 400, 'format', 'bad_value', /one of jsonl, markdown/],
        [
          { format: 'warc', select: { only_main_content: true } },
          400,
          'select.only_main_content',
          'conflicting_fields',
          /add markdown or article to select.include/,
        ],
        [
          { format: 'warc', select: { chunks: { max_tokens: 512 } } },
          400,
          'select.chunks',
          'conflicting_fields',
          /jsonl and parquet only/,
        ],
        [
          { format: 'jsonl', select: { chunks: { max_tokens: 512, overlap: 257 } } },
          400,
          'select.chunks.overlap',
          'out_of_range',
          /Lower it, or raise the maximum/,
        ],
        [
          { format: 'jsonl', select: { chunks: { max_tokens: 1 } } },
          400,
          'select.chunks.max_tokens',
          'out_of_range',
          /64/,
        ],
        [
          { format: 'warc', select: { include: ['html'] } },
          400,
          'select.include',
          'conflicting_fields',
          /Leave it out/,
        ],
        [
          { format: 'jsonl', select: { tables: ['pages'] } },
          400,
          'select.tables',
          'conflicting_fields',
          /parquet only/,
        ],
        [
          { format: 'parquet', select: { tables: ['links'], include: ['markdown'] } },
          400,
          'select.tables',
          'conflicting_fields',
          /Add pages/,
        ],
        [
          { format: 'parquet', select: { tables: ['chunks'] } },
          400,
          'select.chunks',
          'required',
          /Add select\.chunks/,
        ],
        [
          { format: 'parquet', select: { tables: ['pages'], chunks: embedded } },
          400,
          'select.tables',
          'conflicting_fields',
          /Add chunks to select\.tables/,
        ],
        [
          { format: 'parquet', select: { include: ['markdown'], chunks: embedded } },
          400,
          'select.tables',
          'conflicting_fields',
          /Add pages/,
        ],
        [
          { format: 'wacz', select: { chunks: embedded } },
          400,
          'select.chunks',
          'conflicting_fields',
          /jsonl and parquet only.*choose another format/,
        ],
        [
          { format: 'jsonl', select: { status: [20] } },
          400,
          'select.status[0]',
          'out_of_range',
          /100 to 999/,
        ],
        [
          { format: 'jsonl', sink: { type: 's3' } },
          400,
          'sink.endpoint',
          'required',
          /required for the type s3/,
        ],
        [
          { format: 'jsonl', sink: { ...s3, secret_access_key: undefined } },
          400,
          'sink.secret_access_key',
          'required',
          /required/,
        ],
        [
          { format: 'jsonl', sink: { type: 'download', bucket: 'crawls' } },
          400,
          'sink.bucket',
          'conflicting_fields',
          /s3 only/,
        ],
        [
          { format: 'jsonl', sink: { ...s3, endpoint: 'http://10.0.0.1:9000' } },
          400,
          'sink.endpoint',
          'private_address',
          /public/,
        ],
        [
          { format: 'jsonl', sink: { ...s3, endpoint: 'http://127.0.0.1:9000/crawls' } },
          400,
          'sink.endpoint',
          'bad_url',
          /without a path/,
        ],
        [
          { format: 'jsonl', sink: { ...s3, endpoint: 'http://:password@127.0.0.1:9000' } },
          400,
          'sink.endpoint',
          'bad_url',
          /without a path/,
        ],
        [
          { format: 'jsonl', sink: { ...s3, endpoint: 'file:///etc' } },
          400,
          'sink.endpoint',
          'bad_url',
          /address/,
        ],
        [{ format: 'jsonl', sink: { ...s3, key: 'a/../b' } }, 400, 'sink.key', 'bad_value', /segment/],
        [{ format: 'jsonl', sink: { ...s3, bucket: 'A/b' } }, 400, 'sink.bucket', 'bad_value', /lower-case/],
        [
          { format: 'jsonl', sink: { ...s3, path_style: false } },
          400,
          'sink.path_style',
          'conflicting_fields',
          /Set it to true/,
        ],
        [
          { format: 'jsonl', sink: { ...s3, secret_access_key: 'the-secret\0of-a-bucket' } },
          400,
          'sink.secret_access_key',
          'bad_value',
          /visible ASCII characters\.$/,
        ],
        [
          { format: 'jsonl', sink: { ...s3, access_key_id: 'the-secret \ud800' } },
          400,
          'sink.access_key_id',
          'bad_value',
          /visible ASCII characters\.$/,
        ],
        [{ format: 'warc' }, 429, undefined, 'exports', /limit/],
      ]
    const before = known.requests.length
    for (const [body, status, field, reason, says] of faults) {
      const { json, ...answer } = await post('/v1/crawls/1/exports', body)
      t.match(
        { status: answer.status, ...json.error },
        { status, reason, message: says },
        JSON.stringify(body),
      )
      t.equal(json.error.field, field)
    }
    t.match(await post('/v1/crawls/2/exports', { format: 'jsonl' }), {
      ...{ status: 409, json: { error: { code: 'conflict', reason: 'run_active', message: /cancel it/ } } },
    })
    for (const path of ['/v1/crawls/3/exports', '/v1/crawls/x/exports'])
      t.match(await post(path, { format: 'jsonl' }), { status: 404 })
    t.match(await call('POST', '/v1/crawls/1/exports', { key: foreign, body: { format: 'jsonl' } }), {
      status: 404,
    })
    for (const method of ['GET', 'DELETE'])
      t.match(await call(method, '/v1/exports/1', { key: foreign }), { status: 404 })
    t.equal(known.requests.length, before)
  })

  await t.test('are downloaded by a signed address without a key, whole and in ranges', async t => {
    const { json } = await post('/v1/crawls/1/exports', { format: 'jsonl' })
    const bytes = Buffer.alloc(2_500_000, 'tides ')
    const digest = createHash('sha256').update(bytes).digest('hex')
    await pool.query(
      `insert into content.export (id, project_id, run_id, format, selection, sink, fingerprint)
       overriding system value values ($1, 7, 1, 'jsonl', '{}', '{}', '')`,
      [json.id],
    )
    for (let number = 1; number <= 3; number++)
      await pool.query(
        'insert into content.export_part (export_id, number, project_id, size, sha256, data) values ($1, $2, 7, 0, $3, $4)',
        [json.id, number, '', bytes.subarray((number - 1) * partBytes, number * partBytes)],
      )
    known.file = {
      ...{ name: 'tidemark-run-1.jsonl', bytes: bytes.length },
      ...{ sha256: digest, partBytes, finishedAt: '2026-01-02T03:05:30.000Z' },
    }
    const address = (await get(`/v1/exports/${json.id}`)).json.download_url
    const download = (headers: Record<string, string> = {}, method = 'GET') =>
      fetch(address, { method, headers })
    const whole = await download()
    t.equal(whole.status, 200)
    t.match(Object.fromEntries(whole.headers), {
      ...{ 'content-length': '2500000', etag: `"${digest}"`, 'accept-ranges': 'bytes' },
      ...{ 'content-type': 'application/octet-stream', 'cache-control': /private/ },
      'content-disposition': 'attachment; filename="tidemark-run-1.jsonl"',
    })
    t.ok(Buffer.from(await whole.arrayBuffer()).equals(bytes))
    const head = await download({}, 'HEAD')
    t.match([head.status, head.headers.get('content-length'), await head.text()], [200, '2500000', ''])

    for (const [range, first, last] of [
      ['bytes=0-0', 0, 0],
      ['bytes=999990-1000009', 999_990, 1_000_009],
      ['bytes=2499999-', 2_499_999, 2_499_999],
      ['bytes=-5', 2_499_995, 2_499_999],
    ] as const) {
      const part = await download({ range })
      t.equal(part.status, 206)
      t.equal(part.headers.get('content-range'), `bytes ${first}-${last}/2500000`)
      t.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(first, last + 1)), range)
    }
    const beyond = await download({ range: 'bytes=2500000-' })
    t.match([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */2500000'])
    t.match(await beyond.json(), { error: { reason: 'out_of_range', field: 'range' } })
    t.equal((await download({ range: 'bytes=0-1', 'if-range': '"other"' })).status, 200)
    t.equal((await download({ 'if-none-match': `"${digest}"` })).status, 304)

    const forged = [
      address.replace(/signature=./, 'signature=0'),
      address.replace(/expires=\d/, 'expires=9'),
      address.replace(/exports\/\d+/, 'exports/9999'),
      address.replace(/exports\/\d+/, 'exports/1'),
    ].filter(text => text !== address)
    for (const text of forged) t.equal((await fetch(text)).status, 403, text)
    t.equal((await fetch(address.replace(/signature=.*/, ''))).status, 400)

    const expires = Math.floor(Date.now() / 1000) - 1
    const hashed = address.replace(/.*signature=/, '').slice(0, 32)
    const hmac = sealer('0'.repeat(64)).sign(`export file ${json.id} until ${expires} of ${hashed}`)
    const ended = await fetch(
      `${around.url}/v1/exports/${json.id}/file?expires=${expires}&signature=${hashed}${hmac}`,
    )
    t.match([ended.status, await ended.json()], [410, { error: { code: 'gone', reason: 'address_expired' } }])
    known.createdAt = '2026-01-03T00:00:00.000Z'
    t.equal((await download()).status, 404, 'the id was used again after a restore')
    known.createdAt = createdAt
    known.file = null
    const removed = await download()
    t.match([removed.status, await removed.json()], [410, { error: { reason: 'file_removed' } }])
    t.match(await call('DELETE', `/v1/exports/${json.id}`), { status: 200, json: { deleted: true } })
    t.equal((await download()).status, 404)
  })
})

test('A prefix of URLs has their normal form', t => {
  for (const [sent, used] of [
    ['https://Example.com/über/', 'https://example.com/%C3%BCber/'],
    ['HTTPS://EXAMPLE.COM:443', 'https://example.com'],
    ['https://example.com/%7edocs/v1', 'https://example.com/~docs/v1'],
    ['https://example.com/a?utm_source=', 'https://example.com/a?utm_source='],
    ['https://example.com/a?', 'https://example.com/a?'],
    ['https://exam', 'https://exam'],
    ['https:', 'https:'],
  ] as const)
    t.equal(selectionOf({ format: 'jsonl', select: { url_prefix: sent } }).url_prefix, used)
  t.end()
})

test('A range is within its file, and has the bytes that the header names', t => {
  fc.assert(
    fc.property(fc.nat(50), fc.nat(60), fc.nat(60), (bytes, a, b) => {
      const all = Array.from({ length: bytes }, (_, n) => n)
      for (const [header, expected] of [
        [`bytes=${a}-${b}`, all.slice(a, b + 1)],
        [`bytes=${a}-`, all.slice(a)],
        [`bytes=-${a}`, a === 0 ? [] : all.slice(-a)],
      ] as const) {
        const range = rangeOf(header, bytes)
        if (range === 'all') return header === `bytes=${a}-${b}` && b < a
        const found = range === 'outside' ? [] : all.slice(range.first, range.last + 1)
        if (found.join() !== expected.join()) return false
      }
      return true
    }),
  )
  for (const ignored of [
    undefined,
    '',
    'bytes=',
    'bytes=-',
    'bytes=1-2,4-5',
    'lines=1-2',
    'bytes=a-b',
    'bytes=3-1',
  ])
    t.equal(rangeOf(ignored, 10), 'all', String(ignored))
  t.end()
})
