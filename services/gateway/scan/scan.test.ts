/** Scans and contents at the gateway: the accepted requests, their costs, and the answers. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal, refuse } from '@tidemark/bus/refusal'
import { plainBody } from '@tidemark/content/body'
import { encodeEdges } from '@tidemark/content/edges'
import type { Extraction } from '@tidemark/contracts/http/extraction'
import type { BulkItem, BulkResult } from '@tidemark/contracts/http/scan'
import { BulkScan, Scan } from '@tidemark/contracts/http/scan'
import type { WorkDropped } from '@tidemark/contracts/notifications'
import type { ScanPage } from '@tidemark/contracts/rpc/content'
import type { DescribeChange } from '@tidemark/contracts/rpc/model'
import { notifications } from '@tidemark/contracts/subjects'
import { patient } from '@tidemark/testing/slowness'
import { isFullTier } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import { urlKey } from '@tidemark/url/key'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { keyNamed, seed } from '../gateway.scene.ts'
import { TextBudget } from '../http/domain/text-budget.ts'
import { page, settled, started } from '../read-model/projections/runs.examples.ts'
import { BulkAnswer } from './domain/bulk-answer.ts'
import {
  anchor,
  chunk,
  contentFor,
  extraction,
  metadata,
  pageFields,
  scanned,
  scene,
  signals,
} from './scan.scene.ts'

const named = { type: 'object', properties: { name: { type: 'string' } } }
const $defs = { entry: { type: 'object', properties: { p: { type: 'number', 'x-selector': '.p' } } } }
/** Schemas that are refused before they are compiled, and where. */
const badSchemas: [schema: object, field: string][] = [
  [{}, 'properties'],
  [{ properties: { a: { $ref: 'https://example.com/a.json' } } }, 'properties.a.$ref'],
  [{ properties: { a: { type: 'money' } } }, 'properties.a.type'],
  [{ properties: { a: { pattern: '(a+)+(?=b)' } } }, 'properties.a.pattern'],
  [{ properties: { a: { 'x-selector': 'a[' } } }, 'properties.a.x-selector'],
  [{ properties: { a: { 'x-selector': ':not('.repeat(1_000) } } }, 'properties.a.x-selector'],
  [
    { properties: { a: { type: 'array', 'x-selector': 'li', items: { $ref: '#/$defs/entry' } } }, $defs },
    'properties.a.x-selector',
  ],
  [{ properties: { a: { items: { $ref: '#/$defs/entry' } } }, $defs }, '$defs.entry.properties.p.x-selector'],
]

test('Scans at the gateway', { timeout: patient(300_000) }, async t => {
  const { around, mine, stage, call, get, post, append } = await scene(t)
  const plain = { scan: stage.scan, read: stage.read, grant: stage.grant }
  const startOver = () =>
    Object.assign(stage, plain, { scans: [], reads: [], reserved: [], released: [], most: 0 })
  const paid = (...urls: string[]) => urls.map(what => ({ kind: 'page', n: 1, what }))

  await t.test('a scan answers with every field of the specification', async t => {
    const { status, json } = await post('/v1/scan', { url: seed })
    t.equal(status, 200)
    t.ok(Check(Scan, json))
    t.strictSame(json, pageFields(seed))
    t.match(stage.scans, [{ url: seed, delayMs: 0, concurrency: 1, site: 'policy' }])
    t.notOk(stage.scans[0]?.userAgent)
    t.match(stage.reserved, [
      { projectId: 7, kind: 'page', units: 1, limits: { perDay: 10_000, perMonth: 200_000 } },
    ])
    t.match(await stage.lastServed(), { projectId: 7, operation: 'scan', units: paid(seed), costUsd: 0 })
    t.equal((await stage.lastServed())?.requestId, stage.reserved[0]?.requestId)
    t.strictSame(stage.released, [])
  })

  await t.test('a scan has more fields with every option, and reports ignored ones', async t => {
    const cases: [options: object, asked: Partial<ScanPage['wanted']>, more: object][] = [
      [{ metadata_only: true }, { markdown: null, article: false, signals: true }, { markdown: undefined }],
      [
        { metadata_only: true, include_article: true, only_main_content: true },
        { article: false },
        {
          article_text: undefined,
          warnings: [
            'include_article was ignored, because metadata_only leaves out the article',
            'only_main_content was ignored, because metadata_only leaves out the Markdown',
          ],
        },
      ],
      [{ only_main_content: true }, { markdown: 'main' }, { markdown: '*main*' }],
      [{ include_links: true }, { anchors: true }, { anchors: [anchor] }],
      [{ include_article: true }, { article: true }, { article_text: 'words', article_html: '<p>words</p>' }],
      [{ cloud_mode: 'none' }, {}, {}],
      [{ cloud_mode: 'auto', screenshot_inline: false }, {}, {}],
      [
        { extract: { h: 'h1', p: { selector: '.p', attr: 'x', all: true } } },
        { extract: { h: { selector: 'h1' }, p: { selector: '.p', attr: 'x', all: true } } },
        { extracted: { name: 'value', all: ['a'], none: null } },
      ],
      [{ user_agent: 'x'.repeat(512) }, {}, {}],
      [{ max_age_seconds: 0 }, {}, { cached: false }],
      [{ max_age_seconds: 31_536_000 }, {}, { cached: false }],
    ]
    for (const [options, wanted, more] of cases) {
      startOver()
      const { status, json } = await post('/v1/scan', { url: seed, ...options })
      t.equal(status, 200, JSON.stringify(options))
      t.ok(Check(Scan, json))
      t.match(stage.scans, [{ wanted }])
      for (const [name, value] of Object.entries(more)) t.strictSame(json[name], value, name)
      if (!('warnings' in more)) t.notOk(json.warnings)
    }
    const chunks = { max_tokens: 64, overlap: 32 }
    const chunked = await post('/v1/scan', { url: seed, chunks })
    t.match(stage.scans.at(-1)?.wanted, { markdown: 'page', chunks })
    t.match(chunked.json, { markdown: '*page*', chunks: [chunk], warnings: ['chunks are limited'] })
    t.ok(Check(Scan, chunked.json))
    const schema = { type: 'object', properties: { name: { type: 'string' }, price: { type: 'number' } } }
    const extracted = await post('/v1/scan', { url: seed, extract: { schema } })
    t.strictSame(stage.scans.at(-1)?.wanted.schema, schema)
    t.strictSame([extracted.json.extraction, extracted.json.extracted], [extraction, undefined])
    t.ok(Check(Scan, extracted.json))
    await post('/v1/scan', { url: seed, extract: { schema: { selector: 'h1' }, model: '.model' } })
    const named = { schema: { selector: 'h1' }, model: { selector: '.model' } }
    t.strictSame(stage.scans.at(-1)?.wanted.extract, named, 'selectors may have such names')
    await post('/v1/scan', { url: seed, user_agent: 'Own/1' })
    t.equal(stage.scans.at(-1)?.userAgent, 'Own/1')
    const misspelt = { max_tokens: 64, overlp: 3 }
    const { json } = await post('/v1/scan', { url: seed, depth: 1, params: { x: 1 }, chunks: misspelt })
    t.strictSame(json.warnings, [
      "unknown field 'depth' was ignored",
      "unknown field 'params' was ignored with all its content (x): send fields at the top level",
      "unknown field 'chunks.overlp' was ignored",
      'chunks are limited',
    ])
  })

  await t.test(
    'a language model needs the consent of the project, and its tokens are on the bill',
    async t => {
      startOver()
      const scan = (more: object) => post('/v1/scan', { url: seed, extract: { schema: named, ...more } })
      const consent = (body: object) => call('PUT', '/v1/model-consent', { body })
      const none = {
        ...{ consent: false, model: null, host: null, embeddings: null },
        ...{ changed_at: null, changed_by: null },
      }
      t.strictSame((await get('/v1/model-consent')).json, none)
      t.match((await consent({ consent: true })).json.error, { code: 'not_configured', field: 'consent' })
      t.match((await consent({})).json.error, { reason: 'required', field: 'consent' })
      stage.model = { name: 'small', host: 'models.test' }
      const before = (await stage.served()).length
      const refused = await scan({ prompt: 'Net.' })
      t.match(refused, { status: 409, json: { error: { reason: 'model_consent', field: 'extract.prompt' } } })
      t.match(refused.json.error.message, /models\.test.*PUT \/v1\/model-consent/)
      t.match((await scan({ model: 'large' })).json.error, { reason: 'bad_value', field: 'extract.model' })
      t.strictSame(
        [stage.scans.length, (await stage.served()).length],
        [0, before],
        'nothing is fetched or billed',
      )
      const given = { consent: true, model: 'small', host: 'models.test', changed_by: mine.slice(0, 12) }
      t.match((await consent({ consent: true })).json, given)
      t.match((await get('/v1/model-consent')).json, given)

      const use = { name: 'small', input_tokens: 1_200, output_tokens: 30 }
      const filled: Extraction = {
        data: { name: 'T', price: 5 },
        fields: [...extraction.fields, { path: '/price', from: 'model', where: 'text: only 5 EUR' }],
        valid: true,
        errors: [],
        model: use,
      }
      stage.scan = async request => scanned(request, { extraction: filled })
      const { status, json, headers } = await scan({ prompt: 'Net.' })
      t.strictSame([status, json.extraction], [200, filled])
      t.ok(Check(Scan, json))
      t.strictSame(stage.scans.at(-1)?.wanted.byModel, { prompt: 'Net.' })
      t.equal(headers.get('x-pages-billed'), '1', 'a call is no page')
      const called = { operation: 'scan', model: 'small', inputTokens: 1_200, outputTokens: 30, what: seed }
      t.match(await stage.lastCall(), called)
      await scan({ model: 'default' })
      t.strictSame(stage.scans.at(-1)?.wanted.byModel, {})
      await scan({})
      t.equal(stage.scans.at(-1)?.wanted.byModel, undefined, 'no model without a request')

      stage.callsLeft = 0
      const [scans, bills] = [stage.scans.length, (await stage.served()).length]
      const full = await scan({ prompt: 'Net.' })
      t.match(full, {
        status: 429,
        json: { error: { reason: 'model_calls', message: /cap of calls.*\(100\)/ } },
      })
      t.equal(full.headers.get('retry-after'), '3600')
      t.strictSame([stage.scans.length, (await stage.served()).length], [scans, bills], 'nothing happens')
      await until(() => stage.released.includes(stage.calls.at(-1)?.requestId ?? ''))
      stage.callsLeft = 100

      stage.model = { name: 'small', host: 'elsewhere.test' }
      t.match((await scan({ prompt: 'Net.' })).json.error, { reason: 'model_consent' }, 'for another host')
      t.match((await get('/v1/model-consent')).json, {
        consent: false,
        host: 'elsewhere.test',
        changed_by: null,
      })
      stage.model = { name: 'small', host: 'models.test' }
      t.match((await consent({ consent: false })).json, { consent: false, changed_at: null })
      t.match((await scan({ prompt: 'Net.' })).json.error, { reason: 'model_consent' }, 'withdrawn')

      stage.embeddings = { name: 'vectors', host: 'vectors.test' }
      t.match((await consent({ consent: true })).json, { ...given, embeddings: { consent: true } })
      t.equal(stage.consents.get(7)?.host, 'models.test vectors.test', 'a consent is for both models')
      t.equal((await scan({ prompt: 'Net.' })).status, 200)
      stage.embeddings = { name: 'vectors', host: 'elsewhere.test' }
      t.match((await get('/v1/model-consent')).json, {
        ...{ consent: true, host: 'models.test' },
        embeddings: { consent: false, model: 'vectors', host: 'elsewhere.test' },
      })
      await consent({ consent: false })
      stage.embeddings = null
      stage.model = null
      Object.assign(stage, plain)
    },
  )

  await t.test('an invalid scan is refused by its field, and costs nothing', async t => {
    startOver()
    const before = (await stage.served()).length
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`a${n}`, 'p']))
    const cases: [body: unknown, reason: string, field?: string][] = [
      [undefined, 'bad_json'],
      [[], 'wrong_type'],
      [{}, 'required', 'url'],
      [{ url: 7 }, 'wrong_type', 'url'],
      [{ url: '' }, 'bad_url', 'url'],
      [{ url: 'example' }, 'bad_url', 'url'],
      [{ url: 'ftp://example.com/' }, 'bad_url', 'url'],
      [{ url: 'http://10.0.0.1/' }, 'private_address', 'url'],
      [{ url: 'http://169.254.169.254/latest' }, 'private_address', 'url'],
      [{ url: `${seed}${'x'.repeat(8192)}` }, 'bad_url', 'url'],
      ...['user_agent', 'cloud_mode'].map((field): [unknown, string, string] => [
        { url: seed, [field]: 7 },
        'wrong_type',
        field,
      ]),
      ...['metadata_only', 'only_main_content', 'include_links', 'include_article', 'screenshot_inline'].map(
        (field): [unknown, string, string] => [{ url: seed, [field]: 'yes' }, 'wrong_type', field],
      ),
      [{ url: seed, user_agent: '' }, 'bad_value', 'user_agent'],
      [{ url: seed, user_agent: 'a\r\nX: 1' }, 'bad_value', 'user_agent'],
      [{ url: seed, user_agent: 'Bot \u{1f600}' }, 'bad_value', 'user_agent'],
      [{ url: seed, user_agent: 'x'.repeat(513) }, 'bad_value', 'user_agent'],
      [{ url: seed, max_age_seconds: -1 }, 'out_of_range', 'max_age_seconds'],
      [{ url: seed, max_age_seconds: 1.5 }, 'wrong_type', 'max_age_seconds'],
      [{ url: seed, max_age_seconds: '60' }, 'wrong_type', 'max_age_seconds'],
      [{ url: seed, max_age_seconds: 31_536_001 }, 'out_of_range', 'max_age_seconds'],
      [{ url: seed, cloud_mode: 'magic' }, 'bad_value', 'cloud_mode'],
      [{ url: seed, chunks: {} }, 'required', 'chunks.max_tokens'],
      [{ url: seed, chunks: { max_tokens: 63 } }, 'out_of_range', 'chunks.max_tokens'],
      [{ url: seed, chunks: { max_tokens: 8193 } }, 'out_of_range', 'chunks.max_tokens'],
      [{ url: seed, chunks: { max_tokens: 64.5 } }, 'wrong_type', 'chunks.max_tokens'],
      [{ url: seed, chunks: { max_tokens: 65, overlap: 33 } }, 'out_of_range', 'chunks.overlap'],
      [{ url: seed, chunks: { max_tokens: 64 }, metadata_only: true }, 'conflicting_fields', 'chunks'],
      ...badSchemas.map(([schema, field]): [unknown, string, string] => [
        { url: seed, extract: { schema } },
        'bad_value',
        `extract.schema.${field}`,
      ]),
      [{ url: seed, extract: { schema: named, h: 'h1' } }, 'conflicting_fields', 'extract.h'],
      [{ url: seed, extract: 'h1' }, 'wrong_type', 'extract'],
      [{ url: seed, extract: many }, 'out_of_range', 'extract'],
      [{ url: seed, extract: { h: 'a[' } }, 'bad_value', 'extract.h'],
      [{ url: seed, extract: { h: 'a:no-such-thing' } }, 'bad_value', 'extract.h'],
      [{ url: seed, extract: { h: { selector: 'a::before' } } }, 'bad_value', 'extract.h.selector'],
    ]
    for (const [body, reason, field] of cases) {
      const { status, json } = await call('POST', '/v1/scan', {
        body,
        ...(body === undefined && { headers: { 'content-type': 'application/json' } }),
      })
      const expected = { status: 400, code: 'invalid_input', reason, ...(field !== undefined && { field }) }
      t.match({ status, ...json?.error }, expected, JSON.stringify(body)?.slice(0, 80))
    }
    const alone = { selector: 'x'.repeat(501) }
    for (const [more, reason] of [
      [{ schema: named, prompt: '' }, 'bad_value'],
      [{ schema: named, prompt: { selector: 'h1' } }, 'bad_value'],
      [{ schema: named, prompt: 'x'.repeat(4_001) }, 'bad_value'],
      [{ schema: named, model: 'x'.repeat(201) }, 'bad_value'],
      [{ prompt: alone.selector }, 'out_of_range'],
    ] as const) {
      const { status, json } = await post('/v1/scan', { url: seed, extract: more })
      t.match(
        { status, json },
        { status: 400, json: { error: { field: /^extract/ } } },
        JSON.stringify(more).slice(0, 60),
      )
      if (reason === 'out_of_range') t.equal(json.error.reason, reason)
    }
    for (const name of ['prompt', 'model']) {
      const { status, json } = await post('/v1/scan', { url: seed, extract: { schema: named, [name]: 'x' } })
      const says = { code: 'not_configured', field: `extract.${name}`, message: /no language model/ }
      t.match({ status, json }, { status: 503, json: { error: says } })
    }
    for (const [extract, field] of [
      [{ '': 'p' }, 'extract'],
      [{ 'a b': 'p' }, 'extract'],
      [{ a: 7 }, 'extract.a'],
      [{ a: '' }, 'extract.a'],
      [{ a: {} }, 'extract.a'],
      [{ a: { selector: 'p', attr: 7 } }, 'extract.a'],
      [{ a: { selector: 'x'.repeat(501) } }, 'extract.a'],
    ] as const) {
      const { status, json } = await post('/v1/scan', { url: seed, extract })
      t.match(
        { status, code: json.error.code },
        { status: 400, code: 'invalid_input' },
        JSON.stringify(extract),
      )
      t.ok(String(json.error.field).startsWith('extract'), `${json.error.field} is reported for ${field}`)
    }
    t.equal((await call('POST', '/v1/scan', { key: null, body: { url: seed } })).status, 401)
    t.equal((await get('/v1/scan')).status, 405)
    t.strictSame([stage.scans, stage.reserved], [[], []])
    t.equal((await stage.served()).length, before)
  })

  await t.test('a scan forwards why a page could not be fetched, and releases its reservation', async t => {
    for (const [status, code, reason] of [
      [502, 'fetch_failed', 'dns'],
      [502, 'fetch_failed', 'too_large'],
      [400, 'invalid_input', 'private_address'],
      [503, 'unavailable', undefined],
      [503, 'not_configured', undefined],
    ] as const) {
      startOver()
      stage.scan = async () => {
        throw new Refusal({ status, code, message: 'No.', ...(reason && { reason }) })
      }
      const { json, headers, ...answer } = await post('/v1/scan', { url: seed })
      t.equal(headers.get('x-pages-billed'), '0')
      t.match(
        { status: answer.status, ...json.error },
        { status, code, message: 'No.', ...(reason && { reason }) },
      )
      await until(async () => stage.released.length === 1)
      t.strictSame(stage.released, [stage.reserved[0]?.requestId])
    }
    const waived = [{ kind: 'page', what: seed, reason: 'failed' }]
    await until(async () => (await stage.lastServed())?.requestId === stage.reserved[0]?.requestId)
    t.match(
      await stage.lastServed(),
      { operation: 'scan', units: { length: 0 }, waived, uncounted: true },
      'and the row records the waived page, which does not count if no attempt was made',
    )
    for (const [more, kinds] of [
      [{}, ['page']],
      [{ cloud_mode: 'browser' }, ['page', 'cloud_page']],
      [{ cloud_mode: 'auto', screenshot_inline: true }, ['page', 'cloud_page', 'cloud_page']],
    ] as const) {
      startOver()
      stage.scan = async () => {
        throw new Refusal({ status: 502, code: 'fetch_failed', message: 'No.', reason: 'connect' })
      }
      await post('/v1/scan', { url: seed, ...more })
      await until(async () => (await stage.lastServed())?.requestId === stage.reserved[0]?.requestId)
      const last = await stage.lastServed()
      t.notOk(last?.uncounted)
      t.strictSame(
        last?.waived?.map(({ kind }) => kind),
        kinds,
        'an attempt by the cloud fails as a cloud page too',
      )
    }
  })

  await t.test('a challenge costs nothing and is reported as one', async t => {
    startOver()
    stage.scan = async request => scanned(request, { challenge: 'Cloudflare', warnings: ['w'] })
    const { status, json, headers } = await post('/v1/scan', { url: seed, nope: 1 })
    t.match({ status, json }, { status: 200, json: { blocked: true } })
    t.equal(headers.get('x-pages-billed'), '0')
    t.match(json.warnings, ["unknown field 'nope' was ignored", /challenge \(Cloudflare\)/, 'w'])
    t.match(await stage.lastServed(), {
      requestId: stage.reserved[0]?.requestId,
      units: { length: 0 },
      waived: [{ what: seed, reason: 'blocked' }],
    })
  })

  await t.test('nothing is read if a cap is used up', async t => {
    startOver()
    stage.grant = () => ({ granted: 0, reason: 'daily_pages', retryAfterSeconds: 77 })
    const { status, json, headers } = await post('/v1/scan', { url: seed })
    t.match({ status, ...json.error }, { status: 429, code: 'too_many_requests', reason: 'daily_pages' })
    t.equal(headers.get('retry-after'), '77')
    const bulk = await post('/v1/scan/bulk', { urls: [seed, seed] })
    const unread = { url: seed, ok: false, error: 'daily page cap exceeded', reason: 'daily_pages' }
    t.match(
      bulk,
      { status: 200, json: { items: [unread, unread] } },
      'in a bulk scan each page fails on its own',
    )
    t.equal(bulk.headers.get('x-pages-billed'), '0')
    t.strictSame(stage.scans, [])
  })

  await t.test('a bulk scan answers in the order of the request, each page on its own', async t => {
    startOver()
    stage.scan = async request => {
      const n = Number(new URL(request.url).pathname.slice(1))
      await sleep((n * 7) % 20)
      if (n === 3)
        throw new Refusal({ status: 502, code: 'fetch_failed', message: 'No name.', reason: 'dns' })
      if (n === 4) return scanned(request, { challenge: 'DataDome' })
      if (n === 5) throw new Error('broken')
      return scanned(request)
    }
    const pages = Array.from({ length: 9 }, (_, n) => `${seed}${n}`)
    const urls = [...pages, `${seed}1`, 'http://10.0.0.1/', 'ftp://example.com/', 'nonsense', `${seed}1`]
    const { status, json, headers } = await post('/v1/scan/bulk', { urls, more: 1 })
    t.equal(status, 200)
    t.equal(headers.get('x-pages-billed'), String(urls.length - 1))
    t.equal(headers.get('x-cloud-pages-billed'), null, 'and no cloud pages, because none were requested')
    t.ok(Check(BulkScan, json))
    t.strictSame(json.warnings, ["unknown field 'more' was ignored"])
    t.strictSame(
      json.items.map(({ url }: { url: string }) => url),
      urls,
    )
    t.strictSame(
      json.items.map(({ ok }: { ok: boolean }) => ok),
      [true, true, true, false, true, false, true, true, true, true, false, false, false, true],
    )
    t.strictSame(json.items[0].result, {
      ...pageFields(`${seed}0`),
      article: 'words',
      article_html: '<p>words</p>',
      llms_full_txt: '# All',
    })
    t.strictSame(json.items[3], { url: urls[3], ok: false, error: 'fetch failed: No name.', reason: 'dns' })
    t.match(json.items[4], { result: { blocked: true, warnings: [/challenge \(DataDome\)/] } })
    t.match(json.items[5], { reason: 'internal', error: /^fetch failed/ })
    t.notMatch(json.items[5].error, /broken/)
    t.match(json.items[10], { reason: 'private_address', error: /^SSRF-check failure of urls\[10\]/ })
    t.match(json.items[11], { reason: 'bad_url' })
    t.match(json.items[12], { reason: 'bad_url' })
    t.match(stage.reserved, [{ units: urls.length }])
    const billed = urls.filter((_, n) => n !== 4)
    t.match(await stage.lastServed(), { operation: 'scan_bulk', units: paid(...billed) })
    t.equal((await stage.lastServed())?.units.length, billed.length, 'all except the challenge')
    t.equal(new Set(stage.scans.map(({ workId }) => workId)).size, 1, 'one face')
    t.ok(
      stage.scans.every(({ delayMs }) => delayMs === 100),
      'one pace',
    )
  })

  await t.test('a bulk scan accepts up to a hundred pages, and any concurrency', async t => {
    for (const [concurrency, max] of [
      [undefined, 64],
      [1000, 64],
      [64, 64],
      [3, 3],
      [1, 1],
      [0, 1],
      [-5, 1],
    ] as const) {
      startOver()
      stage.scan = async request => sleep(30).then(() => scanned(request))
      const urls = Array.from({ length: 100 }, (_, n) => `http://127.0.1.${n}:8099/`)
      const some = max < 64 ? urls.slice(0, 9) : urls
      const { status, json } = await post('/v1/scan/bulk', { urls: some, concurrency })
      t.equal(status, 200)
      t.equal(json.items.filter(({ ok }: { ok: boolean }) => ok).length, some.length)
      t.ok(stage.most <= max, `${stage.most} at once, for ${concurrency}`)
      t.ok(stage.scans.every(({ concurrency: sent }) => sent === max))
      const [warning] = json.warnings ?? []
      if (concurrency === undefined || concurrency === max) t.equal(warning, undefined)
      else t.match(warning, concurrency < 1 ? /raised to 1/ : /capped at 64/)
    }
    t.match(await post('/v1/scan/bulk', { urls: [seed], metadata_only: true, user_agent: 'Own/1' }), {
      status: 200,
    })
    t.match(stage.scans.at(-1), { userAgent: 'Own/1', wanted: { markdown: null, article: false } })
    startOver()
    stage.scan = async request => sleep(10).then(() => scanned(request))
    await post('/v1/scan/bulk', { urls: Array.from({ length: 40 }, () => seed) })
    t.equal(stage.most, 4, 'but four at one host')
  })

  await t.test('an invalid bulk scan is refused by its field', async t => {
    startOver()
    const cases: [body: object, reason: string, field: string][] = [
      [{}, 'required', 'urls'],
      [{ urls: seed }, 'wrong_type', 'urls'],
      [{ urls: [] }, 'out_of_range', 'urls'],
      [{ urls: Array(101).fill(seed) }, 'too_many_urls', 'urls'],
      [{ urls: [seed, 7] }, 'wrong_type', 'urls[1]'],
      [{ urls: [seed], concurrency: 'many' }, 'wrong_type', 'concurrency'],
      [{ urls: [seed], concurrency: 1.5 }, 'wrong_type', 'concurrency'],
      [{ urls: [seed], metadata_only: 1 }, 'wrong_type', 'metadata_only'],
      [{ urls: [seed], max_age_seconds: -1 }, 'out_of_range', 'max_age_seconds'],
      [{ urls: [seed], user_agent: '' }, 'bad_value', 'user_agent'],
      [{ urls: [seed], user_agent: 'a\r\nX: 1' }, 'bad_value', 'user_agent'],
    ]
    for (const [body, reason, field] of cases) {
      const { status, json } = await post('/v1/scan/bulk', body)
      const expected = { status: 400, code: 'invalid_input', reason, field }
      t.match({ status, ...json.error }, expected, JSON.stringify(body).slice(0, 80))
    }
    t.strictSame(stage.reserved, [])
  })

  await t.test('a bulk scan continues whatever one of its pages is', async t => {
    startOver()
    const long = `${seed}${'x'.repeat(100_000)}`
    const bad = ['', ' ', `${seed}\0`, `${seed}\ud800`, `${seed}a\tb`, `${seed}\n`, long]
    const urls = [seed, ...bad, seed]
    const { status, json, text } = await post('/v1/scan/bulk', { urls })
    t.equal(status, 200)
    t.ok(Check(BulkScan, json))
    t.match([json.items.at(0), json.items.at(-1)], [{ ok: true }, { ok: true }])
    t.strictSame(
      json.items.slice(1, -1).map(({ url, ok, reason }: Record<string, unknown>) => ({ url, ok, reason })),
      bad.map(url => ({ url: url.slice(0, 8192), ok: false, reason: 'bad_url' })),
    )
    t.ok(text.length < 20_000, 'and repeats no more than the maximum length of an address')
    t.equal(stage.scans.length, 2)
    t.equal((await stage.lastServed())?.units.length, urls.length)
  })

  await t.test('a bulk scan never keeps credentials in an address that it refuses', async t => {
    startOver()
    const { json } = await post('/v1/scan/bulk', { urls: ['http://user:pass@127.0.0.1:8099/'] })
    t.match(json.items, [{ ok: false, reason: 'bad_url' }])
    t.match((await stage.lastServed())?.units, [{ ...paid('http://127.0.0.1:8099/')[0], reason: 'failed' }])
  })

  await t.test(
    'a bulk scan has a size limit: pages beyond it have an error, and pages that do not begin are free',
    async t => {
      startOver()
      const long = '\x01'.repeat(1_500_000)
      stage.scan = async request => scanned(request, { markdown: long })
      const urls = Array.from({ length: 12 }, (_, n) => `${seed}${n}`)
      const { status, json, text } = await post('/v1/scan/bulk', { urls, concurrency: 1 })
      t.equal(status, 200)
      t.ok(Buffer.byteLength(text) <= 64 * 1024 ** 2 + 100_000)
      const fit = json.items.findIndex(({ ok }: { ok: boolean }) => !ok)
      t.equal(fit, 7, 'nine million bytes each')
      t.strictSame(json.items[0].result.markdown, long)
      for (const item of json.items.slice(fit)) t.match(item, { ok: false, reason: 'too_large' })
      t.equal(stage.scans.length, fit + 1)
      t.strictSame((await stage.lastServed())?.units, paid(...urls.slice(0, fit + 1)))
    },
  )

  await t.test('a page of a bulk scan that no service could read costs nothing', async t => {
    startOver()
    const away = () => refuse('unavailable', { message: 'Away.' })
    stage.scan = async request => {
      if (request.url.endsWith('a')) throw away()
      return scanned(request)
    }
    const urls = [`${seed}a`, `${seed}b`]
    const { status, json, headers } = await post('/v1/scan/bulk', { urls })
    t.equal(status, 200)
    t.match(json.items, [{ ok: false, error: 'fetch failed: Away.', reason: 'unavailable' }, { ok: true }])
    t.equal(headers.get('x-pages-billed'), '1')
    const served = await stage.lastServed()
    t.strictSame(served?.units, paid(`${seed}b`))
    t.notOk(served?.waived, 'and does not count as a failure')

    stage.scan = async () => {
      throw away()
    }
    const none = await post('/v1/scan/bulk', { urls: Array.from({ length: 100 }, (_, n) => `${seed}${n}`) })
    t.equal(none.status, 200)
    t.equal(none.headers.get('x-pages-billed'), '0')
    t.strictSame((await stage.lastServed())?.units, [])
  })

  await t.test('a project can run eight bulk scans at a gateway at once', async t => {
    startOver()
    const held = Promise.withResolvers<void>()
    stage.scan = async request => held.promise.then(() => scanned(request))
    const all = Array.from({ length: 8 }, () => post('/v1/scan/bulk', { urls: [seed] }))
    await until(async () => stage.scans.length === 8)
    const { status, json, headers } = await post('/v1/scan/bulk', { urls: [seed] })
    const refused = { status: 429, code: 'too_many_requests', reason: 'concurrent_requests' }
    t.match({ status, ...json.error }, refused)
    t.ok(Number(headers.get('retry-after')) > 0)
    t.equal(stage.reserved.length, 8, 'nothing is reserved for it')
    held.resolve()
    t.match(await Promise.all(all), Array(8).fill({ status: 200 }))
    t.equal((await post('/v1/scan/bulk', { urls: [seed] })).status, 200)
  })

  await t.test(
    'the bulk scans of a gateway share their memory until their clients have read them',
    { skip: !isFullTier && 'it moves 400 MB' },
    async t => {
      startOver()
      const [other, third] = ['o', 't'].map((letter, n) => {
        const key = keyNamed(letter)
        around.standIns.addKey(key, 71 + n)
        return key
      }) as [string, string]
      const long = '\x01'.repeat(1_500_000)
      stage.scan = async request => scanned(request, { markdown: long })
      const client = new AbortController()
      const large = (key: string) =>
        fetch(`${around.url}/v1/scan/bulk`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ urls: Array.from({ length: 7 }, (_, n) => `${seed}${n}`) }),
          signal: client.signal,
        })
      const urls = Array.from({ length: 4 }, (_, n) => `${seed}${n}`)
      const next = async (key: string) => {
        stage.scans = []
        return call('POST', '/v1/scan/bulk', { key, body: { urls, concurrency: 1 } })
      }
      // Each answer has 60 MB, and is not read.
      const unread = [await large(mine), await large(mine)]

      const tooLarge = Array(4).fill({ ok: false, reason: 'too_large' })
      t.match(await next(mine), { status: 200, json: { items: tooLarge } }, 'a project has 128 MiB')
      t.equal(stage.scans.length, 1, 'no further page begins')
      t.strictSame((await stage.lastServed())?.units, paid(...urls.slice(0, 1)))

      unread.push(await large(other), await large(other))
      t.match(unread, Array(4).fill({ status: 200 }))
      const full = await next(third)
      const unavailable = Array(3).fill({ ok: false, reason: 'unavailable' })
      t.match(full, { status: 200, json: { items: [{ ok: true }, ...unavailable] } }, 'a gateway has 256 MiB')
      t.equal(stage.scans.length, 2, 'no further page begins')
      t.strictSame((await stage.lastServed())?.units, paid(...urls.slice(0, 1)), 'and what was lost is free')

      client.abort()
      t.ok(unread.every(({ bodyUsed }) => !bodyUsed))
      await until(async () => (await next(mine)).json.items.every(({ ok }: { ok: boolean }) => ok))
    },
  )

  await t.test('a bulk scan reads the granted number of pages, in order', async t => {
    for (const [reason, error] of [
      ['daily_pages', 'daily page cap exceeded'],
      ['monthly_pages', 'monthly page cap exceeded'],
      ['free_results', 'daily limit of failures and challenges exceeded'],
    ] as const) {
      startOver()
      stage.grant = () => ({ granted: 2, reason, retryAfterSeconds: 77 })
      const urls = ['a', 'b', 'c', 'd'].map(path => seed + path)
      const { status, json } = await post('/v1/scan/bulk', { urls })
      t.equal(status, 200)
      t.match(json.items, [
        { ok: true },
        { ok: true },
        ...['c', 'd'].map(() => ({ ok: false, error, reason })),
      ])
      t.equal(stage.scans.length, 2)
      t.strictSame((await stage.lastServed())?.units, paid(...urls.slice(0, 2)))
    }
  })

  await t.test('a bulk scan responds before its client gives up, with the pages read by then', async t => {
    for (const [more, maxPageMs] of [
      [{}, 45_000],
      [{ max_age_seconds: 60 }, 85_000],
    ] as const) {
      // Given a host that delays its pages, four of which are requested at once.
      startOver()
      const held = Promise.withResolvers<void>()
      stage.scan = async request => held.promise.then(() => scanned(request))
      const late = new AbortController()
      const limits = t.capture(AbortSignal, 'timeout', () => late.signal)
      const urls = Array.from({ length: 6 }, (_, n) => `${seed}${n}`)
      const requested = post('/v1/scan/bulk', { urls, ...more })
      await until(async () => stage.scans.length === 4)
      limits.restore()
      // When the time is over, and the started pages arrive.
      late.abort()
      held.resolve()
      const { status, json, headers } = await requested
      // Then the response has them, the others are free, and the longest page ends before the 200 s of the clients.
      t.equal(status, 200)
      t.match(json.items, [
        ...Array(4).fill({ ok: true }),
        ...Array(2).fill({ ok: false, reason: 'timeout' }),
      ])
      t.equal(headers.get('x-pages-billed'), '4')
      t.equal(stage.scans.length, 4)
      const [startMs] = limits().map(({ args: [ms] }) => ms)
      t.ok(startMs && startMs + maxPageMs <= 190_000, `${startMs} ms, and ${maxPageMs} ms for a page`)
    }
  })

  await t.test('a client that leaves stops the work, and pays for started pages', async t => {
    startOver()
    const held = Promise.withResolvers<void>()
    stage.scan = async request => held.promise.then(() => scanned(request))
    const before = (await stage.served()).length
    const dropped: number[] = []
    const listening = around.bus.nc.subscribe(notifications.workDropped, {
      callback: (_error, message) => void dropped.push(message.json<WorkDropped>().workId),
    })
    const client = new AbortController()
    const requested = fetch(`${around.url}/v1/scan/bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mine}`, 'content-type': 'application/json' },
      body: JSON.stringify({ urls: Array.from({ length: 50 }, (_, n) => `${seed}${n}`) }),
      signal: client.signal,
    })
    await until(async () => stage.scans.length === 4)
    client.abort()
    await t.rejects(requested)
    await until(async () => dropped.length > 0)
    t.strictSame(dropped, [stage.scans[0]?.workId], 'the extractor is notified')
    held.resolve()
    await until(async () => (await stage.served()).length > before)
    t.equal((await stage.lastServed())?.units.length, 4)
    t.equal(stage.scans.length, 4)

    const one = new AbortController()
    const single = fetch(`${around.url}/v1/scan`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mine}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: seed }),
      signal: one.signal,
    })
    stage.scan = () => new Promise(() => {})
    await until(async () => stage.scans.length === 5)
    one.abort()
    await t.rejects(single)
    await until(async () => dropped.length > 1)
    t.equal(dropped[1], stage.scans[4]?.workId, 'also for a single page')
    listening.unsubscribe()
  })

  await t.test('a recent page of a crawl is used', async t => {
    const id = (await post('/v1/crawls', { url: seed })).json.id
    const now = Date.now()
    const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString()
    const stored = (n: number, url: string, seconds: number, more = {}) =>
      page(n, { key: urlKey(url), url, fetchedAt: ago(seconds), ...more })
    const [young, old, deleted, bare, blocked] = ['young', 'old', 'gone', 'bare', 'blocked'].map(
      name => `${seed}${name}`,
    ) as [string, string, string, string, string]
    const later = (await post('/v1/crawls', { url: seed })).json.id
    const body = plainBody(Buffer.alloc(32, 1), Buffer.from('<p>'))
    const content = { charset: null, contentType: null, metadata: '{}', edges: encodeEdges([]) }
    await around.content.storePages([
      ...[young, old, deleted, bare, blocked].map(url => ({
        runId: id,
        urlKey: urlKey(url),
        body,
        ...content,
      })),
      { runId: later, urlKey: urlKey(bare), body: null, ...content },
    ])
    await append(
      id,
      started,
      settled(
        stored(501, young, 60),
        stored(502, old, 7200),
        stored(503, deleted, 60),
        stored(504, blocked, 60, { blocked: true }),
        stored(505, bare, 60),
      ),
    )
    await append(later, started, settled(stored(506, bare, 30)))
    await until(async () => (await get(`/v1/crawls/${id}/pages`)).json.items?.length === 5)
    await until(async () => (await get(`/v1/crawls/${later}/pages`)).json.items?.length === 1)
    startOver()
    stage.read = async request => (request.url === deleted ? null : contentFor(request))
    const scan = async (url: string, more = {}) =>
      (await post('/v1/scan', { url, max_age_seconds: 3600, ...more })).json
    t.match(await scan(`${young}#part`, { include_links: true }), {
      cached: true,
      url: `${young}#part`,
      final_url: young,
      fetched_at: ago(60),
      markdown: '*page*',
      anchors: [anchor],
      ai_bot_policy: null,
    })
    const cached = [{ ...paid(`${young}#part`)[0], reason: 'cached' }]
    t.strictSame((await stage.lastServed())?.units, cached, 'and costs the same')
    t.match(stage.reads, [{ runId: id, urlKey: urlKey(young), wanted: { anchors: true } }])
    t.strictSame(stage.scans, [])
    t.match(await scan(old), { cached: false })
    t.match(await scan(old, { max_age_seconds: 8000 }), { cached: true })
    t.match(await scan(young, { max_age_seconds: 0 }), { cached: false })
    t.match(await scan(deleted), { cached: false }, 'unless it was deleted meanwhile')
    t.match(await scan(bare), { cached: true, fetched_at: ago(60) }, 'a later page without a body is ignored')
    t.match(stage.reads.at(-1), { runId: id, urlKey: urlKey(bare) })
    t.match(await scan(blocked), { cached: false }, 'or it was a challenge')
    const { json } = await post('/v1/scan/bulk', { urls: [young, old], max_age_seconds: 3600 })
    t.match(json.items, [{ result: { cached: true, article: 'words' } }, { result: { cached: false } }])
    const scannedAt = ago(45)
    stage.readScan = async request => {
      t.match(request, { projectId: 7, url: young, newerThan: ago(60), wanted: { markdown: 'page' } })
      const site = { aiBotPolicy: null, llmsTxt: '# Site', llmsFullTxt: null }
      return { url: young, status: 200, fetchedAt: scannedAt, content: contentFor(request), ...site }
    }
    t.match(await scan(young, { user_agent: 'Own/1' }), {
      ...{ cached: true, fetched_at: scannedAt, llms_txt: '# Site' },
    })
    t.match((await stage.lastServed())?.units, [{ kind: 'page', reason: 'cached' }])
    stage.readScan = async () => null
    const foreign = keyNamed('f')
    around.standIns.addKey(foreign, 8)
    const theirs = await call('POST', '/v1/scan', {
      key: foreign,
      body: { url: young, max_age_seconds: 3600 },
    })
    t.match(theirs.json, { cached: false }, 'only pages of the own project count')
  })

  await t.test('stored pages of scans are deleted by their URL', async t => {
    const path = (url: string) => `/v1/scans?url=${encodeURIComponent(url)}`
    t.match(await call('DELETE', path(seed)), { status: 200, json: { deleted: 1, warnings: undefined } })
    t.match(stage.deletions, [{ projectId: 7, url: seed }])
    for (const [bad, reason] of [
      ['/v1/scans', 'required'],
      ['/v1/scans?url=', 'bad_url'],
      [path('example.com'), 'bad_url'],
      [path('ftp://example.com/'), 'bad_url'],
      [path(`${seed}${'x'.repeat(9_000)}`), 'bad_url'],
    ] as const) {
      const refused = { code: 'invalid_input', field: 'url', reason }
      t.match(await call('DELETE', bad), { status: 400, json: { error: refused } }, bad.slice(0, 60))
    }
    const unknown = await call('DELETE', `${path(seed)}&id=7`)
    t.match(unknown, { status: 200, json: { deleted: 2, warnings: [/id/] } })
    t.equal(stage.deletions.length, 2)
  })
})

test('Answers of bulk scans share the memory of a gateway', async t => {
  const result = { markdown: 'x'.repeat(400) } as BulkResult
  const item = (n: number): BulkItem => ({ url: `${seed}${n}`, ok: true, result })
  const memory = new TextBudget({ each: 1_000, all: 1_500 })
  const shares = [memory.open(), memory.open(), memory.open()] as const
  const [first, second, third] = shares.map(share => new BulkAnswer(share)) as [
    BulkAnswer,
    BulkAnswer,
    BulkAnswer,
  ]
  for (const answer of [first, second]) for (const n of [0, 1]) answer.put(n, item(n))
  t.match([first.lacking, second.lacking], [null, 'shared'])
  const failed = { url: `${seed}2`, ok: false as const, error: 'no such host', reason: 'dns' }
  t.ok(second.put(2, failed), 'errors are kept')
  const reasons = [{ ok: true }, { reason: 'unavailable' }, { reason: 'dns' }]
  t.match(JSON.parse(second.json(3, []).toString()).items, reasons)
  t.notOk(first.put(2, item(2)))
  t.equal(first.lacking, 'own', 'its own limit comes first')
  shares[0][Symbol.dispose]()
  third.put(0, item(0))
  t.equal(third.lacking, null, 'memory that was released is free again')

  const fair = new TextBudget({ each: 1_000, perOwner: 1_000, all: 3_000 })
  const [one, two] = [fair.open(1), fair.open(1)]
  t.same(
    [one.take(600), two.take(600), fair.open(2).take(600)],
    [true, false, true],
    'a project has its own limit',
  )
  one[Symbol.dispose]()
  t.ok(two.take(600))
})

test('The content of the pages of a run, in one call', { timeout: patient(300_000) }, async t => {
  const { around, mine, stage, get, post, append } = await scene(t)
  const plain = { read: stage.read }
  const id = (await post('/v1/crawls', { url: seed })).json.id
  const numbers = Array.from({ length: 40 }, (_, n) => n + 1)
  const pages = numbers.map(n =>
    page(n, { key: urlKey(`${seed}${n}`), url: `${seed}${n}`, ...(n % 2 === 0 && { status: 404 }) }),
  )
  await append(id, started, settled(...pages))
  const path = `/v1/crawls/${id}/pages`
  await until(async () => (await get(path)).json.items?.length === 40)
  const list = async (query: string, headers = {}) => {
    const wanted = { headers: { authorization: `Bearer ${mine}`, ...headers } }
    const answer = await fetch(`${around.url}${path}?${query}`, wanted)
    const lines = (await answer.text()).split('\n')
    t.equal(lines.pop(), '', 'every row is a line')
    return { status: answer.status, headers: answer.headers, rows: lines.map(line => JSON.parse(line)) }
  }

  await t.test('has a row for each page, in order, with the requested fields', async t => {
    let [underWay, max] = [0, 0]
    stage.read = async request => {
      max = Math.max(max, ++underWay)
      await sleep((Number(new URL(request.url).pathname.slice(1)) * 7) % 20)
      underWay--
      return contentFor(request)
    }
    const { status, headers, rows } = await list(
      'format=ndjson&include=markdown,signals,article&fields=depth',
    )
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^application\/x-ndjson/)
    t.strictSame(
      rows.map(row => row.id),
      numbers,
    )
    const made = { markdown: '*page*', signals, article_text: 'words', article_html: '<p>words</p>' }
    const { fetchedAt: fetched_at } = page(1)
    t.strictSame(rows[0], { id: 1, url: `${seed}1`, status: 200, bytes: 1234, fetched_at, depth: 1, ...made })
    t.ok(max > 1 && max <= 8, `${max} at once`)
  })

  await t.test('continues at the offset of the list', async t => {
    const part = await list('format=ndjson&include=markdown&limit=3&offset=2&status=404')
    t.strictSame(
      part.rows.map(row => row.id),
      [6, 8, 10],
    )
    t.equal(part.headers.get('x-next-offset'), '5')
    t.match(part.headers.get('link'), /include=markdown/)
    t.match((await list('include=markdown&limit=1', { accept: 'application/x-ndjson' })).status, 200)
  })

  await t.test('has the main content alone on request, like a page', async t => {
    const { rows } = await list('format=ndjson&include=markdown&only_main_content=true&limit=2')
    t.match(rows, [{ markdown: '*main*' }, { markdown: '*main*' }])
    const one = async (query: string) => (await get(`/v1/pages/1?${query}`)).json
    t.match(await one('format=markdown&only_main_content=true'), { markdown: '*main*' })
    t.match(await one('format=markdown&only_main_content=false'), { markdown: '*page*' })
    const field = { code: 'invalid_input', reason: 'conflicting_fields', field: 'only_main_content' }
    t.match(await one('format=signals&only_main_content=true'), { error: field })
    const { article_html } = await one('format=article&only_main_content=true')
    t.equal(article_html, '<p>words</p>', 'an article is main content')
    t.match((await get(`${path}?only_main_content=true`)).json, { error: field })
  })

  await t.test('a page is read by a JSON Schema', async t => {
    const path = '/v1/pages/1/extract'
    const { status, json } = await post(path, { schema: named })
    t.strictSame({ status, json }, { status: 200, json: { id: 1, url: `${seed}1`, status: 200, extraction } })
    t.match(stage.reads.at(-1), { wanted: { schema: named, markdown: null } })
    for (const [schema, field] of badSchemas)
      t.match((await post(path, { schema })).json.error, { reason: 'bad_value', field: `schema.${field}` })
    t.match((await post(path, {})).json.error, { reason: 'required', field: 'schema' })
    const requested = await post(path, { schema: named, prompt: 'x' })
    t.match(requested, { status: 503, json: { error: { code: 'not_configured', field: 'prompt' } } })
    stage.model = { name: 'small', host: 'models.test' }
    t.match((await post(path, { schema: named, model: 'default' })).json.error, {
      reason: 'model_consent',
      field: 'model',
    })
    stage.consents.set(7, { host: 'models.test', by: mine.slice(0, 12), at: '2026-01-02T03:04:05.678Z' })
    const use = { name: 'small', input_tokens: 9, output_tokens: 1 }
    stage.read = async request => contentFor(request, { extraction: { ...extraction, model: use } })
    const byModel = await post(path, { schema: named, prompt: 'x' })
    t.match(byModel, { status: 200, json: { extraction: { model: use } } })
    t.equal(byModel.headers.get('x-pages-billed'), '0')
    t.match(await stage.lastCall(), { operation: 'page_extract', inputTokens: 9, what: `${seed}1` })
    t.match(await stage.lastServed(), { operation: 'page_extract', units: { length: 0 } })
    stage.callsLeft = 0
    t.match((await post(path, { schema: named, prompt: 'x' })).json.error, { reason: 'model_calls' })
    stage.callsLeft = 100
    stage.read = async request => contentFor(request)
    await post(path, { schema: named, prompt: 'x' })
    const { requestId: unused = '' } = stage.calls.at(-1) ?? {}
    await until(() => stage.released.includes(unused))
    Object.assign(stage, plain, { model: null })
    t.equal((await post('/v1/pages/999999/extract', { schema: named })).status, 404)
    stage.read = async () => null
    const none = await post(path, { schema: named })
    t.match(none, { status: 409, json: { error: { reason: 'html_not_stored' } } })
    Object.assign(stage, plain)
  })

  await t.test('a comparison is described in words, and stands without them', async t => {
    const lines = [
      { change: 'same' as const, old_line: 1, new_line: 1, text: '# Clock' },
      { change: 'removed' as const, old_line: 2, text: 'Price: 49.90 EUR' },
      { change: 'added' as const, new_line: 2, text: 'Price: 39.90 EUR' },
    ]
    const summary = { added: 1, removed: 1, same: 1, changed_words: 1 }
    stage.difference = { summary, lines, truncated: false }
    const compare = (query = '&in_words=true') =>
      get(`/v1/crawls/${id}/diff/${id}/page?url=${encodeURIComponent(`${seed}1`)}${query}`)
    const without = async (reason: string) => {
      const { status, json } = await compare()
      t.match(
        { status, ...json },
        { status: 200, in_words: null, lines, warnings: [new RegExp(`null \\(${reason}\\)`)] },
      )
      t.equal(json.model, undefined, `${reason}: no tokens`)
    }
    t.notOk('in_words' in (await compare('')).json)
    stage.consents.clear()
    await without('not_configured')
    stage.model = { name: 'small', host: 'models.test' }
    await without('no_consent')
    stage.consents.set(7, { host: 'models.test', by: mine.slice(0, 12), at: '2026-01-02T03:04:05.678Z' })
    stage.callsLeft = 0
    await without('model_calls')
    stage.callsLeft = 100
    stage.describe = async () => {
      throw refuse('unavailable')
    }
    await without('model_failed')
    stage.describe = async () => ({
      words: null,
      fault: { reason: 'model_failed', why: 'the model hangs' },
      use: null,
    })
    await without('model_failed')
    const { requestId: unused = '' } = stage.calls.at(-1) ?? {}
    await until(() => stage.released.includes(unused))

    const use = { name: 'small', input_tokens: 40, output_tokens: 8 }
    const changed = lines.slice(1).map(({ change, text }) => ({ change: change as 'added', text }))
    const words = { text: 'The price fell.', quotes: changed }
    const sent: DescribeChange[] = []
    stage.describe = async change => {
      sent.push(change)
      return { words, fault: null, use }
    }
    const { json } = await compare()
    t.match(json, { in_words: words, model: use, lines })
    t.equal(json.warnings, undefined)
    t.strictSame(sent, [{ projectId: 7, url: `${seed}1`, lines: changed }], 'only changed lines')
    stage.difference.truncated = true
    t.match((await compare()).json, { in_words: words, warnings: [/a part of the change/] })
    stage.difference.truncated = false
    t.match(await stage.lastServed(), { operation: 'page_diff', units: { length: 0 } })
    t.match(await stage.lastCall(), { operation: 'page_diff', inputTokens: 40, what: `${seed}1` })
    stage.describe = async () => ({
      words: null,
      fault: { reason: 'not_quoted', why: 'the model lied' },
      use,
    })
    t.match((await compare()).json, {
      in_words: null,
      model: use,
      warnings: ['in_words is null (not_quoted): the model lied'],
    })
    t.match((await stage.lastCall())?.requestId, stage.calls.at(-1)?.requestId, 'its tokens are billed too')
    const calls = stage.calls.length
    stage.difference = {
      summary: { ...summary, added: 0, removed: 0 },
      lines: lines.slice(0, 1),
      truncated: false,
    }
    t.match((await compare()).json, { in_words: null, warnings: undefined })
    Object.assign(stage.difference, { truncated: true })
    t.match((await compare()).json, { in_words: null, warnings: [/the rest of the page was not compared/] })
    t.equal(stage.calls.length, calls, 'nothing has changed, so no model is called')
    Object.assign(stage, plain, { model: null, difference: null })
  })

  await t.test('has chunks on request, like a page', async t => {
    const { rows } = await list('format=ndjson&include=markdown&chunk_max_tokens=64&limit=1')
    t.match(rows, [{ markdown: '*page*', chunks: [chunk], warnings: ['chunks are limited'] }])
    t.strictSame(stage.reads.at(-1)?.wanted.chunks, { max_tokens: 64 })
    const one = async (query: string) => (await get(`/v1/pages/1?${query}`)).json
    const both = await one('format=markdown&chunk_max_tokens=512&chunk_overlap=256')
    t.match(both, { markdown: '*page*', chunks: [chunk] })
    t.strictSame(stage.reads.at(-1)?.wanted.chunks, { max_tokens: 512, overlap: 256 })
    t.notOk('chunks' in (await one('format=markdown')))
    for (const [query, field, reason] of [
      ['format=html&chunk_max_tokens=64', 'chunk_max_tokens', 'conflicting_fields'],
      ['format=markdown&chunk_overlap=1', 'chunk_overlap', 'conflicting_fields'],
      ['format=markdown&chunk_max_tokens=64&chunk_overlap=33', 'chunk_overlap', 'out_of_range'],
      ['format=markdown&chunk_max_tokens=63', 'chunk_max_tokens', 'out_of_range'],
    ] as const)
      t.match(await one(query), { error: { code: 'invalid_input', field, reason } }, query)
    const field = { field: 'chunk_max_tokens', reason: 'conflicting_fields' }
    t.match((await get(`${path}?chunk_max_tokens=64`)).json, { error: field })
    stage.read = async () => null
    const [none] = (await list('format=ndjson&include=markdown&chunk_max_tokens=64&limit=1')).rows
    t.match(none, { markdown: null, chunks: null })
    Object.assign(stage, plain)
  })

  await t.test('has its article as Markdown on request, like a page', async t => {
    const { rows } = await list('format=ndjson&include=article&article_format=markdown&limit=1')
    t.match(rows, [{ article_text: 'words', article_markdown: '*words*', article_html: undefined }])
    const one = async (query: string) => (await get(`/v1/pages/1?${query}`)).json
    t.match(await one('format=article&article_format=markdown'), { article_markdown: '*words*' })
    const field = { code: 'invalid_input', reason: 'conflicting_fields', field: 'article_format' }
    t.match(await one('format=markdown&article_format=markdown'), { error: field })
    t.match((await get(`${path}?article_format=markdown`)).json, { error: field })
    t.match(await one('format=article&article_format=pdf'), { error: { field: 'article_format' } })
    stage.read = async () => null
    const [none] = (await list('format=ndjson&include=article&article_format=markdown&limit=1')).rows
    t.match(none, { article_text: null, article_markdown: null })
    Object.assign(stage, plain)
  })

  await t.test('has null for missing values, with the reason if they cannot be read', async t => {
    stage.read = async ({ url, wanted }) => {
      if (url.endsWith('/1')) return null
      if (url.endsWith('/2'))
        throw new Refusal({ status: 502, code: 'fetch_failed', reason: 'timeout', message: 'Too long.' })
      return contentFor({ wanted })
    }
    const all = await list('format=ndjson&include=markdown,article,signals,metadata&limit=3')
    const nulls = { markdown: null, article_text: null, article_html: null, signals: null, metadata: null }
    const [none, unread, whole] = all.rows
    t.match(none, nulls)
    t.notOk(none.warnings)
    t.match(unread, { ...nulls, warnings: ['Too long.'] })
    t.match(whole, { markdown: '*page*', metadata })
    const html = await list('format=ndjson&include=html&limit=1')
    t.match(html.rows, [{ html: null }])
    Object.assign(stage, plain)
  })

  await t.test('retries while the extractor is busy, and aborts if that does not help', async t => {
    let busy = 2
    stage.read = async request => {
      if (busy-- > 0) throw new Refusal({ status: 503, code: 'unavailable', message: 'Busy.' })
      return contentFor(request)
    }
    const { rows } = await list('format=ndjson&include=markdown&limit=2')
    t.match(rows, [{ markdown: '*page*' }, { markdown: '*page*' }])
    stage.read = async request => {
      if (request.url.endsWith('/3')) throw new Error('broken')
      return contentFor(request)
    }
    await t.rejects(list('format=ndjson&include=markdown'), 'a truncated answer must not seem complete')
    Object.assign(stage, plain)
  })

  await t.test('is broken off if the crawl is deleted meanwhile', async t => {
    const deleted = (await post('/v1/crawls', { url: seed })).json.id as number
    await append(deleted, started, settled(...numbers.map(n => page(1_000 + n))))
    const path = `/v1/crawls/${deleted}/pages?format=ndjson&include=markdown`
    await until(async () => (await get(`/v1/crawls/${deleted}`)).json.page_count === 40)
    // Eight pages are read ahead. Without the first page nothing would be sent, and the response would be 404.
    let read = 0
    stage.read = async request => {
      read++
      if (read === 10) await around.pool.query('delete from read.page where run_id = $1', [deleted])
      return contentFor(request)
    }
    await t.rejects(get(path), 'a part must not seem complete')
    Object.assign(stage, plain)
  })

  await t.test('is not generated for a request of the headers alone', async t => {
    let made = 0
    stage.read = async request => {
      if (request.url === `${seed}1`) made++
      return contentFor(request)
    }
    const headers = { authorization: `Bearer ${mine}` }
    const head = await fetch(`${around.url}${path}?format=ndjson&include=markdown`, {
      method: 'HEAD',
      headers,
    })
    t.equal(head.status, 200)
    await sleep(100)
    t.equal(made, 0)
    Object.assign(stage, plain)
  })

  await t.test('is limited to four at a time per project, and each slot is released', async t => {
    const held = Promise.withResolvers<void>()
    let begun = 0
    stage.read = async request => {
      begun++
      await held.promise
      return contentFor(request)
    }
    const query = 'format=ndjson&include=markdown&limit=1'
    const all = Array.from({ length: 4 }, () => list(query))
    await until(async () => begun === 4)
    t.match(await get(`${path}?${query}`), {
      status: 429,
      json: { error: { code: 'too_many_requests', reason: 'content_streams' } },
    })
    t.equal((await list('format=ndjson')).status, 200, 'rows without contents need no slot')
    held.resolve()
    t.match(await Promise.all(all), Array(4).fill({ status: 200 }))
    await until(async () => (await list(query)).status === 200)
    Object.assign(stage, plain)
  })

  await t.test('accepts only known field names, and only for rows', async t => {
    for (const [query, reason] of [
      ['format=ndjson&include=', 'bad_value'],
      ['format=ndjson&include=markdown,nothing', 'bad_value'],
      ['format=ndjson&include=markdown,', 'bad_value'],
      ['format=json&include=markdown', 'conflicting_fields'],
      ['format=csv&include=markdown', 'conflicting_fields'],
      ['include=markdown', 'conflicting_fields'],
    ] as const) {
      const { status, json } = await get(`${path}?${query}`)
      t.match(
        { status, ...json.error },
        { status: 400, code: 'invalid_input', field: 'include', reason },
        query,
      )
    }
    const foreign = keyNamed('f')
    around.standIns.addKey(foreign, 8)
    t.equal((await get(`${path}?format=ndjson&include=markdown`, { key: foreign })).status, 404)
  })
})
