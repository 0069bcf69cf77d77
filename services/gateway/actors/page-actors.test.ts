/** Actors of one page at the gateway: their requests, their costs, and the forms of their answers. */

import { once } from 'node:events'
import net from 'node:net'
import { Refusal } from '@tidemark/bus/refusal'
import { AuditOnpageAnswer } from '@tidemark/contracts/http/actors/audit-onpage'
import { ExtractArticleAnswer } from '@tidemark/contracts/http/actors/extract-article'
import { RenderDiffAnswer } from '@tidemark/contracts/http/actors/render-diff'
import { StructuredDataAnswer } from '@tidemark/contracts/http/actors/structured-data'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import fastify from 'fastify'
import { test } from 'tap'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import type { App } from '../app.ts'
import { seed } from '../gateway.scene.ts'
import { type ActorRequest, answersOfActors } from './answer-actor.ts'
import { JsonText } from './domain/json-text.ts'
import { dataOf, pageActorScene, pageRead } from './page-actors.scene.ts'

const actors: [actor: string, operation: string, schema: TSchema, data: object][] = [
  ['extract-article', 'extract_article', ExtractArticleAnswer, dataOf.article],
  ['structured-data', 'structured_data', StructuredDataAnswer, dataOf.structured],
  ['audit-onpage', 'audit_onpage', AuditOnpageAnswer, dataOf.audit],
  ['render-diff', 'render_diff', RenderDiffAnswer, dataOf.rendered],
]
const events = { accept: 'text/event-stream' }

/** Returns the name and the data of each event in a stream. */
const eventsOf = (text: string) =>
  [...text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)].map(([, name = '', data = '']) => ({
    name,
    data: JSON.parse(data),
  }))

test('Actors of one page', { timeout: patient(300_000) }, async t => {
  const { around, mine, stage, call, get, post } = await pageActorScene(t)
  const plain = { ...stage }
  const startOver = () =>
    Object.assign(stage, plain, { pages: [], renders: [], dropped: [], reserved: [], released: [] })
  const bill = async () => {
    const { operation, units, waived } = (await stage.lastServed()) ?? {}
    return { operation, units, ...(waived && { waived }) }
  }

  const requestUntil = (path: string, signal: AbortSignal) =>
    fetch(`${around.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mine}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: seed }),
      signal,
    })

  for (const [actor, operation, schema, data] of actors) {
    const path = `/v1/actors/${actor}`

    await t.test(`${actor} answers in the common envelope, for one page`, async t => {
      startOver()
      const { status, json, headers } = await post(path, { url: seed })
      t.equal(status, 200)
      t.ok(Check(schema, json), JSON.stringify(json))
      const { elapsed_ms: elapsed, ...answer } = json
      t.strictSame(answer, { actor, url: seed, data, final_url: `${seed}final`, status_code: 200 })
      t.ok(Number.isInteger(elapsed) && elapsed >= 0)
      t.equal(headers.get('x-pages-billed'), '1')
      t.equal(headers.get('x-cloud-pages-billed'), null)
      t.match(headers.get('vary'), /accept/i)
      t.match(stage.reserved, [{ projectId: 7, kind: 'page', units: 1 }])
      t.strictSame(await bill(), { operation, units: [{ kind: 'page', n: 1, what: seed }] })
      t.equal(stage.pages.length + stage.renders.length, 1)
    })

    await t.test(`${actor} reports ignored fields and warnings`, async t => {
      startOver()
      stage.page = async request => pageRead(request, data, { warnings: ['the document is no HTML'] })
      const { json, headers } = await post(path, { url: seed, depth: 3 })
      t.strictSame(json.warnings, ["unknown field 'depth' was ignored", 'the document is no HTML'])
      t.strictSame(JSON.parse(headers.get('x-warnings') ?? 'null'), json.warnings)
      t.ok(Check(schema, json))
    })

    await t.test(`${actor} bills nothing for a challenge or a page that could not be fetched`, async t => {
      startOver()
      stage.page = async request => pageRead(request, data, { challenge: 'Cloudflare' })
      const shown = await post(path, { url: seed })
      t.match(
        { status: shown.status, ...shown.json.error },
        { status: 502, code: 'fetch_failed', reason: 'blocked', message: /Cloudflare/ },
      )
      t.equal(shown.headers.get('x-pages-billed'), '0')
      t.match(await bill(), { operation, units: { length: 0 }, waived: [{ what: seed, reason: 'blocked' }] })

      const before = (await stage.served()).length
      for (const [refusal, status] of [
        [{ status: 502, code: 'fetch_failed', reason: 'dns', message: 'The name is not known.' }, 502],
        [
          { status: 400, code: 'invalid_input', reason: 'private_address', field: 'url', message: 'No.' },
          400,
        ],
        [{ status: 503, code: 'not_configured', message: 'See BROWSER and FETCH_LANES.' }, 503],
        [{ status: 503, code: 'unavailable', message: 'Away.', retryAfterSeconds: 2 }, 503],
      ] as const) {
        stage.page = async () => {
          throw new Refusal(refusal)
        }
        const { json, headers, ...answer } = await post(path, { url: seed })
        const { status: _, retryAfterSeconds: __, ...error } = { retryAfterSeconds: 0, ...refusal }
        t.match({ status: answer.status, ...json.error }, { status, ...error })
        t.equal(headers.get('x-pages-billed'), '0')
      }
      await until(async () => (await stage.served()).length === before + 4)
      t.match(await bill(), { operation, units: { length: 0 }, waived: [{ what: seed, reason: 'failed' }] })
      await until(() => stage.released.length === 4)
    })

    await t.test(`${actor} refuses an invalid request, naming the field and the reason`, async t => {
      startOver()
      const bad: [body: object, field: string | undefined, reason: string][] = [
        [{}, 'url', 'required'],
        [{ url: 7 }, 'url', 'wrong_type'],
        [{ url: null }, 'url', 'wrong_type'],
        [{ url: '' }, 'url', 'bad_url'],
        [{ url: 'example.com' }, 'url', 'bad_url'],
        [{ url: 'ftp://example.com/' }, 'url', 'bad_url'],
        [{ url: `http://a.example/${'x'.repeat(9000)}` }, 'url', 'bad_url'],
        [{ url: 'http://10.0.0.1/' }, 'url', 'private_address'],
        [{ url: 'http://169.254.169.254/latest' }, 'url', 'private_address'],
        [{ url: 'http://[::1]/' }, 'url', 'private_address'],
        [[], undefined, 'wrong_type'],
      ]
      for (const accept of ['application/json', events.accept])
        for (const [body, field, reason] of bad) {
          const { status, json, headers } = await call('POST', path, { body, headers: { accept } })
          const shown = JSON.stringify(body).slice(0, 60)
          t.match({ status, ...json.error }, { status: 400, code: 'invalid_input', reason }, shown)
          t.equal(json.error.field, field, shown)
          t.equal(headers.get('x-pages-billed'), '0', shown)
        }
      t.strictSame([stage.pages, stage.renders, stage.reserved], [[], [], []], 'and sends no request')
      t.equal((await call('POST', path, { key: null, body: { url: seed } })).status, 401)
      t.equal((await get(path)).status, 405)
    })

    await t.test(`${actor} does nothing if the cap is used up`, async t => {
      startOver()
      stage.grant = () => ({ granted: 0, reason: 'daily_pages', retryAfterSeconds: 77 })
      for (const headers of [{}, events]) {
        const refused = await call('POST', path, { body: { url: seed }, headers })
        t.match({ status: refused.status, ...refused.json.error }, { status: 429, reason: 'daily_pages' })
        t.ok(Number(refused.headers.get('retry-after')) > 0)
      }
      t.strictSame([stage.pages, stage.renders], [[], []])
    })

    await t.test(`${actor} reports progress to clients that prefer events`, async t => {
      startOver()
      const { elapsed_ms: _, ...answer } = (await post(path, { url: seed, x: 1 })).json
      const { status, headers, text } = await call('POST', path, {
        body: { url: seed, x: 1 },
        headers: events,
      })
      t.equal(status, 200)
      t.match(headers.get('content-type'), 'text/event-stream')
      const [progress, result, ...more] = eventsOf(text)
      t.match(progress, { name: 'progress', data: { stage: /page/ } })
      const { elapsed_ms: __, ...told } = result?.data ?? {}
      t.strictSame([result?.name, told, more], ['result', answer, []])
      t.equal((await stage.served()).at(-1)?.units.length, 1, 'and it is billed')

      stage.page = async request => pageRead(request, data, { challenge: 'DataDome' })
      const blocked = await call('POST', path, { body: { url: seed }, headers: events })
      t.equal(blocked.status, 200, 'later errors are sent in the stream')
      t.match(eventsOf(blocked.text), [
        { name: 'progress' },
        { name: 'error', data: { error: { code: 'fetch_failed', reason: 'blocked', request_id: /./ } } },
      ])
      t.strictSame((await bill()).units, [])
    })

    await t.test(`${actor} stops when its client leaves`, async t => {
      startOver()
      const held = Promise.withResolvers<void>()
      stage.page = async request => {
        await held.promise
        return pageRead(request, data)
      }
      const disconnect = new AbortController()
      const pending = requestUntil(path, disconnect.signal)
      await until(() => stage.pages.length + stage.renders.length === 1)
      disconnect.abort()
      await t.rejects(pending)
      const [requested] = [...stage.pages, ...stage.renders]
      await until(() => stage.dropped.length === 1)
      t.strictSame(stage.dropped, [requested?.workId])
      held.resolve()
    })

    await t.test(`${actor} does nothing for a client that left before the reservation`, async t => {
      startOver()
      const held = Promise.withResolvers<void>()
      stage.grant = async ({ units }) => {
        await held.promise
        return { granted: units, reason: null, retryAfterSeconds: null }
      }
      const disconnect = new AbortController()
      const pending = requestUntil(path, disconnect.signal)
      await until(() => stage.reserved.length === 1)
      disconnect.abort()
      await t.rejects(pending)
      await until(() => stage.dropped.length === 1)
      held.resolve()
      await until(() => stage.released.length === 1)
      t.strictSame([stage.pages, stage.renders], [[], []])
      const [{ requestId } = { requestId: '' }] = stage.reserved
      t.notOk(
        (await stage.served()).some(served => served.requestId === requestId),
        'and nothing is billed',
      )
    })
  }

  await t.test('each requests its page with its reading', async t => {
    startOver()
    const article = '/v1/actors/extract-article'
    await post(article, { url: seed })
    await post(article, { url: seed, format: 'text', include_comments: true, wpm: 300 })
    await post('/v1/actors/structured-data', { url: seed })
    t.match(stage.pages, [
      { projectId: 7, url: seed, reading: { as: 'article', format: 'markdown', comments: false, wpm: null } },
      { reading: { as: 'article', format: 'text', comments: true, wpm: 300 } },
      { reading: { as: 'structured' } },
    ])
    await post('/v1/actors/render-diff', { url: seed })
    t.match(stage.renders, [{ projectId: 7, url: seed, timeoutMs: 75_000 }])
    t.ok([...stage.pages, ...stage.renders].every(({ workId }) => workId < 0))
  })

  await t.test('an article is requested with the fields of its contract', async t => {
    startOver()
    const cases: [more: object, field: string, reason: string, message?: RegExp][] = [
      [{ format: 'html' }, 'format', 'bad_value', /one of markdown, text; "html" was sent/],
      [{ format: 1 }, 'format', 'wrong_type'],
      [{ format: null }, 'format', 'wrong_type'],
      [{ include_comments: 'yes' }, 'include_comments', 'wrong_type', /true or false/],
      [{ wpm: 100_001 }, 'wpm', 'out_of_range', /from 1 to 100000/],
      [{ wpm: 0 }, 'wpm', 'out_of_range'],
      [{ wpm: -230 }, 'wpm', 'out_of_range'],
      [{ wpm: 230.5 }, 'wpm', 'wrong_type'],
      [{ wpm: '230' }, 'wpm', 'wrong_type'],
      [{ wpm: null }, 'wpm', 'wrong_type'],
    ]
    for (const [more, field, reason, message = /./] of cases) {
      const { status, json } = await post('/v1/actors/extract-article', { url: seed, ...more })
      const expected = { status: 400, code: 'invalid_input', field, reason, message }
      t.match({ status, ...json.error }, expected, JSON.stringify(more))
    }
    t.strictSame(stage.pages, [])
    for (const wpm of [50, 1000])
      t.equal((await post('/v1/actors/extract-article', { url: seed, wpm })).status, 200)
  })
})

test('A gateway that stops ends its running work, and drops nothing that has ended', async t => {
  const app = fastify()
  const dropped: number[] = []
  const contents = { drop: (workId: number) => void dropped.push(workId) }
  const answer = answersOfActors(app as unknown as App, { report: () => {}, contents })
  const begun: { workId: number; signal: AbortSignal }[] = []
  const held = Promise.withResolvers<void>()
  app.post('/:held', ({ id, headers, params }, reply) => {
    const request = { id, headers, warnings: [] }
    const requested: ActorRequest = { request, reply, actor: 'structured-data', url: seed }
    return answer(requested, async ({ workId, signal }) => {
      begun.push({ workId, signal })
      if ((params as { held: string }).held === 'held') await held.promise
      return { data: {} }
    })
  })
  for (const headers of [{}, events]) {
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/free', headers })
    t.match({ statusCode, body }, { statusCode: 200, body: /structured-data/ })
  }
  const waiting = app.inject({ method: 'POST', url: '/held' })
  await until(() => begun.length === 3)
  const closed = app.close()
  await until(() => dropped.length > 0)
  held.resolve()
  await Promise.all([waiting, closed])
  t.strictSame(dropped, [begun[2]?.workId])
  t.strictSame(
    begun.map(({ signal }) => signal.aborted),
    [false, false, true],
  )
  t.equal(new Set(begun.map(({ workId }) => workId)).size, 3)
})

test('An answer of any length is generated as fast as it is read', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const made = { pieces: 0, isOver: false }
  const piece = Buffer.from(`"${'x'.repeat(64 * 1024 - 3)}",`)
  const count = 500
  const data = new JsonText(count * piece.length + 4, function* () {
    try {
      yield Buffer.from('[')
      for (let n = 0; n < count; n++) {
        made.pieces += 1
        yield piece
      }
      yield Buffer.from('""]')
    } finally {
      made.isOver = true
    }
  })
  const answer = answersOfActors(app as unknown as App, { report: () => {}, contents: { drop: () => {} } })
  app.post('/', ({ id, headers }, reply) => {
    const request = { id, headers, warnings: ['noted'] }
    return answer({ request, reply, actor: 'sitemap-audit', url: seed }, async () => ({ data }))
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const isWhole = (json: string) => {
    const { actor, data, warnings } = JSON.parse(json)
    t.match({ actor, warnings, length: data.length }, { actor: 'sitemap-audit', warnings: ['noted'] })
    t.equal(data.length, count + 1)
  }

  await t.test('as JSON with its length', async t => {
    const answered = await fetch(url, { method: 'POST' })
    const text = await answered.text()
    t.equal(answered.headers.get('content-length'), String(Buffer.byteLength(text)))
    t.match(answered.headers.get('content-type'), 'application/json')
    isWhole(text)
  })

  await t.test('and as the last event of a stream', async t => {
    const text = await (await fetch(url, { method: 'POST', headers: events })).text()
    const [, json = ''] = text.split('event: result\ndata: ')
    t.ok(json.endsWith('\n\n'))
    isWhole(json)
  })

  for (const accept of ['application/json', events.accept]) {
    await t.test(`and no further for a client that stops reading, or has left (${accept})`, async t => {
      Object.assign(made, { pieces: 0, isOver: false })
      const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nAccept: ${accept}\r\nContent-Length: 0\r\n\r\n`)
      await once(socket, 'data')
      socket.pause()
      let before = -1
      await until(async () => {
        const isStill = made.pieces === before
        before = made.pieces
        return isStill
      })
      t.ok(made.pieces < count / 2, `${made.pieces} pieces were generated for a reader that has stopped`)
      socket.destroy()
      await until(() => made.isOver)
      t.ok(made.pieces < count / 2)
    })
  }
})
