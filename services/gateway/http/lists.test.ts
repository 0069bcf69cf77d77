/** Lists of pages in each of their forms, over HTTP and a real Postgres. */

import { once } from 'node:events'
import net from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { csvLine, defused } from '@tidemark/contracts/http/csv'
import type { PageItem } from '@tidemark/contracts/http/pages'
import { codePoint } from '@tidemark/testing/code-point'
import { untilBlocked } from '@tidemark/testing/databases'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import fastify from 'fastify'
import { test } from 'tap'
import type { App } from '../app.ts'
import { caller, keyNamed, type Surroundings, seed, surroundings } from '../gateway.scene.ts'
import { page, settled, started } from '../read-model/projections/runs.examples.ts'
import { formatOf } from './domain/list-format.ts'
import { installStalled } from './plugins/stalled.ts'
import { sendRows } from './responses/row-list.ts'
import { sendText } from './responses/text-stream.ts'

const mine = keyNamed('m')
const foreign = keyNamed('f')

test('The list of pages', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
  around.standIns.addKey(mine, 7)
  around.standIns.addKey(foreign, 8)
  const { get, post, append } = caller(around, mine)
  const rowsOf = async (path: string, headers = {}) => {
    const answer = await fetch(around.url + path, {
      headers: { authorization: `Bearer ${mine}`, ...headers },
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const newRun = async () => (await post('/v1/crawls', { url: seed })).json.id as number

  const id = await newRun()
  await append(
    id,
    started,
    settled(
      page(11, { url: 'https://example.com/a,b', title: '=1+1' }),
      page(12, { url: 'https://example.com/"q"', status: 404, title: null, contentType: null }),
      page(13, {
        url: '@not-ours',
        title: 'two\r\nlines, "quoted"',
        requestedUrl: 'https://example.com/old',
      }),
      page(14, { status: 404, bytes: 0, title: '\tx' }),
    ),
  )
  const path = `/v1/crawls/${id}/pages`
  await until(async () => (await get(path)).json.items?.length === 4)
  const time = page(0).fetchedAt

  t.test('of crawls has the policy for AI bots only on request, and one crawl always', async t => {
    const policy = { GPTBot: 'partial' }
    await around.pool.query('update read.run set ai_bot_policy = $2 where id = $1', [id, policy])
    const listed = async (query = '') => (await get(`/v1/crawls${query}`)).json.items[0]
    t.match(await listed(), { id, ai_bot_policy: null })
    t.match(await listed('?fields=ai_bot_policy'), { id, ai_bot_policy: policy })
    t.match((await get(`/v1/crawls/${id}`)).json, { ai_bot_policy: policy })
    t.match(await get('/v1/crawls?fields=llms_txt'), {
      status: 400,
      json: {
        error: { field: 'fields', message: /^fields must be a comma-separated list of ai_bot_policy; / },
      },
    })
  })

  t.test('is CSV to the byte', async t => {
    const { status, headers, text } = await get(`${path}?format=csv`)
    t.equal(status, 200)
    t.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    t.equal(headers.get('content-disposition'), `attachment; filename="crawl-${id}-pages.csv"`)
    t.equal(
      text,
      [
        'id,url,status,bytes,fetched_at',
        `11,"https://example.com/a,b",200,1234,${time}`,
        `12,"https://example.com/""q""",404,1234,${time}`,
        `13,@not-ours,200,1234,${time}`,
        `14,https://example.com/14,404,0,${time}`,
        '',
      ].join('\r\n'),
    )
  })

  t.test('is NDJSON to the byte', async t => {
    const { headers, text } = await rowsOf(`${path}?format=ndjson&status=404`)
    t.match(headers.get('content-type'), /^application\/x-ndjson/)
    t.equal(
      text,
      `{"id":12,"url":"https://example.com/\\"q\\"","status":404,"bytes":1234,"fetched_at":"${time}"}\n` +
        `{"id":14,"url":"https://example.com/14","status":404,"bytes":0,"fetched_at":"${time}"}\n`,
    )
  })

  t.test('has more fields on request, and defuses text of third parties', async t => {
    const { text } = await get(`${path}?format=csv&fields=title,depth,requested_url,title,content_type`)
    const html = 'text/html'
    t.equal(
      text,
      [
        'id,url,status,bytes,fetched_at,title,depth,requested_url,content_type',
        `11,"https://example.com/a,b",200,1234,${time},'=1+1,1,,${html}`,
        `12,"https://example.com/""q""",404,1234,${time},,1,,`,
        `13,@not-ours,200,1234,${time},"two\r\nlines, ""quoted""",1,https://example.com/old,${html}`,
        `14,https://example.com/14,404,0,${time},'\tx,1,,${html}`,
        '',
      ].join('\r\n'),
    )
    const [line = ''] = (await rowsOf(`${path}?format=ndjson&fields=title,raw_hash`)).text.split('\n')
    t.strictSame(Object.entries(JSON.parse(line)).slice(5), [
      ['title', '=1+1'],
      ['raw_hash', 'b'.repeat(64)],
    ])
    const { items } = (await get(`${path}?fields=depth,content_hash`)).json
    t.match(items[0], { id: 11, depth: 1, content_hash: 'a'.repeat(64) })
    t.notOk('title' in items[0])
  })

  t.test('lists challenges, traces and inlinks, and names the available fields', async t => {
    const known = 'content_hash,raw_hash,title,depth,inlinks,requested_url,content_type'
    const all = `${known},blocked,rendered,trace_id`
    const challenged = await newRun()
    await append(
      challenged,
      started,
      settled(page(31, { rendered: true }), page(32, { blocked: true, title: '=1+1' })),
    )
    const pages = `/v1/crawls/${challenged}/pages`
    await until(async () => (await get(pages)).json.items?.length === 2)
    const { items } = (await get(`${pages}?fields=${all}`)).json
    t.strictSame(Object.keys(items[0]).slice(5), all.split(','))
    t.match(items, [
      { blocked: false, rendered: true, inlinks: 0, trace_id: null },
      { blocked: true, rendered: false, inlinks: 0 },
    ])
    await around.pool.query('update read.run set trace_id = $2 where id = $1', [challenged, 'e'.repeat(32)])
    const { text } = await get(`${pages}?format=csv&fields=${all}&offset=1`)
    const [head, row] = text.split('\r\n')
    t.equal(head, `id,url,status,bytes,fetched_at,${all}`)
    const hashes = `${'a'.repeat(64)},${'b'.repeat(64)}`
    const trace = 'e'.repeat(32)
    t.equal(
      row,
      `32,https://example.com/32,200,1234,${time},${hashes},'=1+1,1,0,,text/html,true,false,${trace}`,
    )
    t.match((await get(`${pages}?fields=title,links`)).json.error, {
      field: 'fields',
      message: `fields must be a comma-separated list of ${all.split(',').join(', ')}; "title,links" was sent.`,
    })
  })

  t.test('lists one status only, with its own offsets', async t => {
    const ids = async (query: string) => {
      const { items, next_offset } = (await get(`${path}?${query}`)).json
      return [items.map((item: PageItem) => item.id), next_offset]
    }
    t.strictSame(await ids('status=404'), [[12, 14], null])
    t.strictSame(await ids('status=404&limit=1'), [[12], 1])
    t.strictSame(await ids('status=404&limit=1&offset=1'), [[14], null])
    t.strictSame(await ids('status=404&limit=5000'), [[12, 14], null])
    t.strictSame(await ids('status=301'), [[], null])
  })

  t.test('sends the next offset before the first line', async t => {
    for (const [query, next] of [
      ['format=csv&limit=2', '2'],
      ['format=csv&limit=2&offset=1', '3'],
      ['format=csv&limit=2&offset=2', null],
      ['format=csv&limit=4', null],
      ['format=ndjson&limit=1&status=404', '1'],
      ['format=ndjson&limit=1&status=404&offset=1', null],
      ['format=ndjson&offset=99', null],
      [`format=ndjson&offset=${'9'.repeat(25)}`, null],
    ] as const) {
      const { status, headers } = await rowsOf(`${path}?${query}`)
      t.equal(status, 200)
      t.equal(headers.get('x-next-offset'), next, query)
      const link = headers.get('link')
      t.equal(link === null, next === null, `${link}`)
      t.ok(next === null || link?.includes(`offset=${next}`))
    }
    const lines: string[] = []
    let url: string | undefined = `${path}?limit=1&status=404&fields=title,depth`
    while (url) {
      const { headers, text } = await rowsOf(url, { accept: 'application/x-ndjson' })
      lines.push(text)
      url = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    t.equal(lines.join(''), (await rowsOf(`${path}?format=ndjson&status=404&fields=title,depth`)).text)
  })

  t.test('chooses its format by the Accept header if the query names none', async t => {
    for (const [accept, format, type] of [
      ['text/csv', '', 'text/csv'],
      ['application/x-ndjson', '', 'application/x-ndjson'],
      ['*/*', '', 'application/json'],
      ['text/csv', '&format=json', 'application/json'],
      ['application/json', '&format=csv', 'text/csv'],
    ] as const) {
      const { headers } = await rowsOf(`${path}?limit=1${format}`, { accept })
      t.match(headers.get('content-type'), type, `${accept} ${format}`)
      t.match(headers.get('vary'), /accept/i)
    }
  })

  t.test('refuses invalid queries, in every format', async t => {
    for (const format of ['json', 'ndjson', 'csv']) {
      for (const [query, field] of [
        ['limit=0', 'limit'],
        ['limit=-1', 'limit'],
        ['limit=100001', 'limit'],
        ['offset=-1', 'offset'],
        ['status=ok', 'status'],
        ['status=99', 'status'],
        ['status=2147483648', 'status'],
        ['fields=url', 'fields'],
        ['fields=title;drop', 'fields'],
        ['fields=', 'fields'],
      ]) {
        const answer = await get(`${path}?format=${format}&${query}`)
        t.match(answer, { status: 400, json: { error: { code: 'invalid_input', field } } }, `${query}`)
      }
      t.equal((await rowsOf(`${path}?format=${format}&limit=100000`)).status, 200)
      t.equal((await get(`${path}?format=${format}`, { key: foreign })).status, 404)
      t.equal((await get(`/v1/crawls/99999/pages?format=${format}`)).status, 404)
    }
    t.match(await get(`${path}?format=xml`), { status: 400, json: { error: { field: 'format' } } })
  })

  t.test('is broken off if the crawl is deleted while it is read', async t => {
    for (const query of ['format=csv', 'format=ndjson&limit=100000', 'limit=100000']) {
      const id = await newRun()
      await append(id, started)
      await until(async () => (await get(`/v1/crawls/${id}`)).json.status === 'running')
      await insertPages(around, id, 1_000)
      const locker = await around.pool.connect()
      await locker.query('begin; lock table read.page in access exclusive mode')
      const answer = rowsOf(`/v1/crawls/${id}/pages?${query}`).then(
        ({ status }) => (status === 404 ? 'failed' : 'complete'),
        () => 'failed',
      )
      await untilBlocked(locker, 'read.page')
      around.standIns.runs.delete(`7/${id}`)
      await locker.query(`delete from read.run where id = ${id}; commit`)
      locker.release()
      t.equal(await answer, 'failed', query)
    }
  })

  t.test('needs no more memory for 100,000 rows than for few, in every form', async t => {
    const long = await newRun()
    await append(long, started)
    await until(async () => (await get(`/v1/crawls/${long}`)).json.status === 'running')
    await insertPages(around, long, 100_000)
    const formats = ['ndjson', 'csv', 'json']
    for (const format of [...formats, ...formats]) // until the heap has the size that few rows need
      await readSlowly(around, `/v1/crawls/${long}/pages?format=${format}&limit=20000`)
    for (const format of formats) {
      const { lines, grown } = await readSlowly(
        around,
        `/v1/crawls/${long}/pages?format=${format}&limit=100000`,
      )
      t.equal(lines, format === 'ndjson' ? 100_000 : format === 'csv' ? 100_001 : 1, `${format}: all rows`)
      t.ok(grown < 64 * 1024 ** 2, `${format}: ${Math.round(grown / 1024 ** 2)} MB more`)
      t.comment(`${format}: ${(grown / 1024 ** 2).toFixed(1)} MB more`)
    }
  })
})

/** Generates endless rows, and counts those that were read. */
function longRows() {
  const seen = { pieces: 0, ended: false }
  async function* rows() {
    try {
      for (; seen.pieces < 10_000; seen.pieces++) {
        await setImmediate()
        yield 'x'.repeat(100_000)
      }
    } finally {
      seen.ended = true
    }
  }
  return { seen, rows }
}

test('A list is not read further after its client has left', async t => {
  const app = fastify()
  installStalled(app as App, 200)
  t.teardown(() => app.close())
  const { seen, rows } = longRows()
  app.get('/rows', (_, reply) =>
    sendRows(reply, { format: 'ndjson', rows: rows(), next: null, path: '/rows', query: {} }),
  )
  const stalled = longRows()
  app.get('/stalled', (_, reply) => sendText(reply, 'text/plain', stalled.rows()))
  const slow = async function* () {
    yield 'begun '
    await sleep(700)
    yield 'and ended'
  }
  app.get('/slow', (_, reply) => sendText(reply, 'text/plain', slow()))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const paused = async (path: string) => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(socket, 'data')
    socket.pause()
    return socket
  }

  await t.test('but waits for a slow reader, until it leaves', async t => {
    const socket = await paused('/rows')
    let before = -1
    await until(async () => {
      const isStill = seen.pieces === before
      before = seen.pieces
      return isStill
    })
    t.ok(seen.pieces < 1_000, `${seen.pieces} pieces were read for a reader that has stopped`)
    socket.destroy()
    await until(async () => seen.ended)
    t.ok(seen.pieces < 1_000, 'and hardly more after the client has left')
  })

  await t.test(
    'nor for a reader that takes nothing for too long, unlike one that waits for data',
    async t => {
      const socket = await paused('/stalled')
      await until(async () => stalled.seen.ended)
      t.ok(stalled.seen.pieces < 1_000)
      socket.destroy()
      t.equal(await (await fetch(`${url}/slow`)).text(), 'begun and ended')
    },
  )

  await t.test('nor begun for a request of the headers alone', async t => {
    Object.assign(seen, { pieces: 0, ended: false })
    const { status, headers } = await fetch(`${url}/rows`, { method: 'HEAD' })
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^application\/x-ndjson/)
    await sleep(100)
    t.equal(seen.pieces, 0)
  })
})

test('A CSV cell', t => {
  const cells = fc.array(
    fc.oneof(fc.string({ unit: codePoint }), fc.constantFrom('', '"', '\r\n', ',', '=x', ' ', '\t')),
    { minLength: 2, maxLength: 6 },
  )
  fc.assert(
    fc.property(fc.array(cells, { minLength: 1, maxLength: 5 }), rows => {
      t.strictSame(parse(rows.map(csvLine).join('')), rows)
    }),
    { numRuns: sized(100, 300) },
  )
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), fc.constantFrom(...'=+-@\t\r\n＝＋－＠'), (text, start) => {
      t.equal(defused(start + text), `'${start}${text}`)
      t.notMatch(defused(text), /^[=+\-@\t\r\n＝＋－＠]/)
      t.ok(defused(text).endsWith(text))
    }),
    { numRuns: sized(30, 100) },
  )
  t.equal(csvLine([null, 0, '']), ',0,\r\n')
  t.end()
})

test('The formats that a client accepts', async t => {
  for (const [accept, format] of [
    [undefined, 'json'],
    ['', 'json'],
    ['text/html, */*;q=0.8', 'json'],
    ['TEXT/CSV; charset=utf-8', 'csv'],
    ['text/csv;q=0.5, application/x-ndjson', 'ndjson'],
    ['text/csv, application/json', 'csv'],
    ['application/json, text/csv', 'json'],
    ['text/csv;q=0', 'json'],
    ['text/csv;q=x, */*;q=0.1', 'json'],
    ['constructor, __proto__', 'json'],
  ] as const) {
    t.equal(formatOf(undefined, accept), format, `${accept}`)
  }
})

/** Inserts many pages at once, as the projector would. */
const insertPages = ({ pool }: Surroundings, runId: number, count: number) =>
  pool.query(
    `insert into read.page (id, run_id, project_id, url_key, url, status, bytes, depth, fetched_at, content_hash, raw_hash)
    select $1 * 1000000::bigint + n, $1, 7, 'n' || lpad(n::text, 10, '0'), 'https://example.com/some/longer/path/of/a/page/' || n,
      200, 1, 1, now(), repeat('a', 64), '' from generate_series(1, $2) n`,
    [runId, count],
  )

/** Reads an answer without keeping it. Returns its line ends, and the growth of this process. */
async function readSlowly({ url }: Surroundings, path: string): Promise<{ lines: number; grown: number }> {
  const before = process.memoryUsage.rss()
  let max = before
  const watch = setInterval(() => {
    max = Math.max(max, process.memoryUsage.rss())
  }, 5)
  const { body } = await fetch(url + path, { headers: { authorization: `Bearer ${mine}` } })
  let lines = 0
  for await (const chunk of body ?? [])
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
  clearInterval(watch)
  return { lines: lines === 0 ? 1 : lines, grown: max - before }
}

/** A reader of RFC 4180, written from its grammar. */
function parse(text: string): string[][] {
  const rows: string[][] = []
  for (let at = 0; at < text.length; at += 2) {
    const row: string[] = []
    for (;;) {
      let value = ''
      if (text[at] === '"') {
        for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
          value += text[at]
          if (text[at] === '"') at++
        }
        at++
      } else while (at < text.length && text[at] !== ',' && text[at] !== '\r') value += text[at++]
      row.push(value)
      if (text[at] !== ',') break
      at++
    }
    rows.push(row)
  }
  return rows
}
