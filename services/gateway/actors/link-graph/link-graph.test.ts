/** Links, orphans and differences of runs, compared to those that the test computes from its own pages. */
import { zstdCompressSync } from 'node:zlib'
import { publish } from '@tidemark/bus/publish'
import { plainBody } from '@tidemark/content/body'
import { type Edge, encodeEdges } from '@tidemark/content/edges'
import { subjects } from '@tidemark/contracts/subjects'
import { ofProject } from '@tidemark/db/of-project'
import { untilBlocked } from '@tidemark/testing/databases'
import { until } from '@tidemark/testing/until'
import { urlKey } from '@tidemark/url/key'
import { test } from 'tap'
import { caller, keyNamed, type Surroundings, seed, surroundings } from '../../gateway.scene.ts'
import type { Payer } from '../../metering/adapters/metering.ts'
import { knownPages } from '../../read-model/adapters/count-inlinks.ts'
import { commit, finished, page, settled, started } from '../../read-model/projections/runs.examples.ts'
import type { ActorPorts } from '../ports.ts'
import { rankRun } from './rank-run.ts'

const mine = keyNamed('m')
const foreign = keyNamed('f')

type TestPage = {
  id: number
  url: string
  edges?: Edge[]
  requestedUrl?: string
  contentHash?: string
}

test('The link graph', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
  around.standIns.addKey(mine, 7)
  around.standIns.addKey(foreign, 8)
  const client = caller(around, mine)
  const { get } = client
  const run = (pages: TestPage[], keepsBodies = true) => crawled(around, client, pages, keepsBodies)

  t.test('lists the links of each page to its own site, at any offset of the list', async t => {
    const pages = madeUp(120)
    const id = await run(pages)
    const known = pages.flatMap(({ id, edges = [] }) =>
      edges
        .filter(({ href }) => new URL(href).host === site)
        .map(({ href, ...rest }) => ({ from_page_id: id, to_url: href, ...rest })),
    )
    const list = async (query: string) => (await get(`/v1/crawls/${id}/links?${query}`)).json
    t.strictSame(await list('limit=100000'), { items: known, next_offset: null })
    for (let offset = 0; offset <= known.length + 7; offset += 137) {
      for (const limit of [1, 100, 1001]) {
        const next = offset + limit < known.length ? offset + limit : null
        t.strictSame(await list(`limit=${limit}&offset=${offset}`), {
          items: known.slice(offset, offset + limit),
          next_offset: next,
        })
      }
    }
    t.equal((await list('')).items.length, 100)
    for (const from of pages.slice(0, 5)) {
      const ofPage = known.filter(({ from_page_id }) => from_page_id === from.id)
      t.strictSame(await list(`from_page_id=${from.id}&limit=1000`), { items: ofPage, next_offset: null })
      t.strictSame((await list(`from_page_id=${from.id}&limit=1&offset=1`)).items, ofPage.slice(1, 2))
    }
    t.strictSame(await list('from_page_id=1'), { items: [], next_offset: null })
    t.strictSame(await list(`offset=${'9'.repeat(25)}`), { items: [], next_offset: null })
  })

  t.test('lists the links to one address, whatever its spelling', async t => {
    const pages = madeUp(130)
    const id = await run(pages)
    const to = (path: string) =>
      pages.flatMap(({ id, edges = [] }) =>
        edges
          .filter(({ href }) => href === at(path))
          .map(({ href, ...rest }) => ({ from_page_id: id, to_url: href, ...rest })),
      )
    const list = async (path: string, query = '') =>
      (await get(`/v1/crawls/${id}/links?to_url=${encodeURIComponent(path)}&${query}`)).json
    const known = to('/p7')
    t.ok(known.length > 5, `${known.length} links`)
    t.strictSame(await list(at('/p7')), { items: known, next_offset: null })
    t.strictSame(await list(`HTTP://${site}/x/../%707#there`, 'limit=100000'), {
      items: known,
      next_offset: null,
    })
    for (let offset = 0; offset <= known.length; offset++) {
      const next = offset + 2 < known.length ? offset + 2 : null
      const window = { items: known.slice(offset, offset + 2), next_offset: next }
      t.strictSame(await list(at('/p7'), `limit=2&offset=${offset}`), window)
    }
    const from = known[2]?.from_page_id
    const ofPage = known.filter(({ from_page_id }) => from_page_id === from)
    t.strictSame((await list(at('/p7'), `from_page_id=${from}`)).items, ofPage)
    for (const nowhere of [at('/none'), 'http://elsewhere1.example/']) {
      t.strictSame(await list(nowhere), { items: [], next_offset: null }, nowhere)
    }
    for (const bad of [
      '',
      '/p7',
      'mailto:a@b',
      `http://a.example/${'x'.repeat(9000)}`,
      'http://a.example/\0',
    ]) {
      const { error } = await list(bad)
      t.match(error, { code: 'invalid_input', field: 'to_url' }, bad.slice(0, 30))
    }
  })

  t.test('has links and orphans as files, in parts', async t => {
    const edges = Array.from({ length: 1_200 }, (_, n) => edge(at(`/to${n}`)))
    edges[0] = edge(at('/to0'), { anchor: '=1+1,\n"x" y', rel: '@ugc', nofollow: true })
    const id = await run([
      { id: 920, url: seed, edges },
      { id: 921, url: at('/alone,1') },
    ])
    const path = `/v1/crawls/${id}/links`
    const { items } = (await get(`${path}?limit=100000`)).json
    const csv = await get(`${path}?format=csv&limit=1`)
    t.equal(
      csv.text,
      `from_page_id,to_url,anchor,rel,nofollow\r\n920,${at('/to0')},"'=1+1,\n""x"" y",'@ugc,true\r\n`,
    )
    t.match(Object.fromEntries(csv.headers), {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="crawl-${id}-links.csv"`,
      'x-next-offset': '1',
      link: `<${path}?format=csv&limit=1&offset=1>; rel="next"`,
      vary: /accept/i,
    })
    for (const [query, from, to] of [
      ['limit=3', 0, 3],
      ['limit=1100', 0, 1_100],
      ['limit=1200', 0, 1_200],
      ['limit=5000&offset=1190', 1_190, 1_200],
      [`limit=2000&to_url=${encodeURIComponent(at('/to7'))}`, 7, 8],
      [`limit=2000&offset=${'9'.repeat(25)}`, 1_200, 1_200],
    ] as const) {
      const { headers, text } = await get(`${path}?format=ndjson&${query}`)
      t.strictSame(linesOf(text), items.slice(from, to), query)
      const hasMore = to < 1_200 && !query.includes('to_url')
      t.equal(headers.get('x-next-offset'), hasMore ? String(to) : null, query)
    }
    const orphans = await get(`/v1/crawls/${id}/orphans`, { headers: { accept: 'text/csv' } })
    const { fetchedAt } = page(0)
    t.equal(orphans.text, `id,url,status,fetched_at\r\n921,"${at('/alone,1')}",200,${fetchedAt}\r\n`)
    const listed = await get(`/v1/crawls/${id}/orphans`)
    const etag = listed.headers.get('etag') ?? ''
    t.match(etag, /^"/, 'a short list has a tag')
    const unchanged = await get(`/v1/crawls/${id}/orphans`, { headers: { 'if-none-match': etag } })
    t.match(unchanged, { status: 304, text: '' })
    const file = `attachment; filename="crawl-${id}-orphans.csv"`
    t.equal(orphans.headers.get('content-disposition'), file)
    const none = await run([{ id: 930, url: seed }], false)
    for (const list of ['links', 'orphans']) {
      const { status, headers, text } = await get(`/v1/crawls/${none}/${list}?format=ndjson&limit=5`)
      t.strictSame([status, text], [200, ''])
      t.match(headers.get('x-warnings'), /store_html: false/)
      const message = 'format must be one of json, ndjson, csv; "xml" was sent.'
      t.match(await get(`/v1/crawls/${id}/${list}?format=xml`), {
        status: 400,
        json: { error: { field: 'format', message } },
      })
      t.equal((await get(`/v1/crawls/${id}/${list}?format=csv`, { key: foreign })).status, 404)
    }
  })

  t.test('counts for each page the other pages that link to it', async t => {
    const to = (...paths: string[]) => paths.map(path => edge(at(path)))
    const id = await run([
      { id: 910, url: at('/'), edges: to('/a', '/a', '/b', '/') },
      { id: 911, url: at('/a'), edges: to('/b-was', '/b', '/c') },
      { id: 912, url: at('/b'), requestedUrl: at('/b-was'), edges: to('/c', '/b-was') },
      { id: 913, url: at('/c') },
    ])
    const counted = async (query = '') => {
      const { items } = (await get(`/v1/crawls/${id}/pages?fields=inlinks&${query}`)).json
      return items.map(({ inlinks }: { inlinks: number }) => inlinks)
    }
    t.strictSame(await counted(), [0, 1, 2, 2])
    t.strictSame(await counted('limit=1&offset=2'), [2])
    await client.append(id, finished(4, 0))
    await until(async () => (await get(`/v1/crawls/${id}`)).json.status === 'done')
    for (const _ of [1, 2]) t.strictSame(await counted(), [0, 1, 2, 2], 'the same from the cache')
    const none = await run(madeUp(2), false)
    t.match((await get(`/v1/crawls/${none}/pages?fields=inlinks`)).json.items, [{ inlinks: null }, {}])
  })

  t.test('is searched as a whole twice at a time for a project, until the client leaves', async t => {
    const id = await run(madeUp(45))
    const to = `links?to_url=${encodeURIComponent(at('/p1'))}`
    const paths = ['orphans', to, `${to}&format=csv&limit=5000`, 'pages?fields=inlinks&limit=5000'].map(
      path => `/v1/crawls/${id}/${path}`,
    )
    const [orphans = '', links = ''] = paths
    const locker = await around.pool.connect()
    await locker.query('begin; lock table read.page in access exclusive mode')
    const leaver = new AbortController()
    const options = { headers: { authorization: `Bearer ${mine}` }, signal: leaver.signal }
    const left = [1, 2].map(() => t.rejects(fetch(around.url + orphans, options), { name: 'AbortError' }))
    await untilBlocked(locker, 'read.page')
    await until(async () => (await get(links)).status === 429)
    leaver.abort()
    await Promise.all(left)
    const both = [get(links), get(links)]
    await untilBlocked(locker, 'read.page', 3)
    for (const path of paths) {
      const { status, headers, json } = await get(path)
      t.match(
        { status, ...json.error },
        { status: 429, code: 'too_many_requests', reason: 'link_scans', message: /Try again when/ },
        path,
      )
      t.equal(headers.get('retry-after'), '5')
    }
    t.equal((await get(`/v1/crawls/${id}/links?to_url=x`)).status, 400)
    await locker.query('commit')
    locker.release()
    t.match(await Promise.all(both), [{ status: 200 }, { status: 200 }])
    for (const path of paths) t.equal((await get(path)).status, 200, path)
  })

  t.test('is not found if the crawl is deleted meanwhile', async t => {
    const paths = ['orphans', 'orphans?format=csv', 'links', 'links?format=csv', 'links?limit=5000']
    for (const path of [...paths, `links?to_url=${encodeURIComponent(at('/p1'))}`]) {
      const id = await run(madeUp(45))
      const locker = await around.pool.connect()
      await locker.query('begin; lock table read.page in access exclusive mode')
      const reading = get(`/v1/crawls/${id}/${path}`).then(
        ({ status }) => status,
        () => 'broken off',
      )
      await untilBlocked(locker, 'read.page')
      around.standIns.runs.delete(`7/${id}`)
      await locker.query(`delete from read.page where run_id = ${id}`)
      await locker.query(`delete from read.run where id = ${id}; commit`)
      locker.release()
      t.ok((/csv|5000/.test(path) ? [404, 'broken off'] : [404]).includes(await reading), path)
    }
  })

  t.test('counts again after a retry of the failed pages', async t => {
    const id = await run([
      { id: 940, url: seed, edges: [edge(at('/late'))] },
      { id: 941, url: at('/alone') },
    ])
    const end = async (second: number, pages: number, ...events: object[]) => {
      const ended = commit(id, second, ...events, finished(pages, 0))
      await publish(around.bus, subjects.run(id), ended.payload)
      await until(async () => {
        const { json } = await get(`/v1/crawls/${id}`)
        return json.status === 'done' && json.page_count === pages
      })
    }
    const counted = async () => {
      const { items } = (await get(`/v1/crawls/${id}/pages?fields=inlinks`)).json
      return items.map(({ inlinks }: { inlinks: number }) => inlinks)
    }
    const alone = async () =>
      (await get(`/v1/crawls/${id}/orphans`)).json.items.map((orphan: { id: number }) => orphan.id)
    await end(20, 2)
    t.strictSame([await counted(), await alone()], [[0, 0], [941]])
    const late = { id: 942, url: at('/late'), edges: [edge(at('/alone'))] }
    await stored(around, id, [late])
    const row = page(942, { url: late.url, key: urlKey(late.url) })
    await end(30, 3, { type: 'RunReopened', data: { nth: 1, retried: 0 } }, settled(row))
    t.strictSame([await counted(), await alone()], [[0, 1, 1], []])
  })

  t.test('lists pages as orphans if neither they nor redirects to them are linked', async t => {
    const to = (...paths: string[]) => paths.map(path => edge(at(path)))
    const id = await run([
      { id: 900, url: at('/home'), requestedUrl: seed, edges: to('/a', '/self') },
      { id: 901, url: at('/a'), edges: to('/old', '/a') },
      { id: 902, url: at('/b'), requestedUrl: at('/old') },
      { id: 903, url: at('/self'), edges: to('/lonely') },
      { id: 904, url: at('/lonely') },
      { id: 905, url: at('/narcissus'), edges: to('/narcissus', '/was-narcissus') },
      { id: 906, url: at('/echo'), requestedUrl: at('/was-echo'), edges: to('/was-echo') },
      { id: 907, url: at('/nobody') },
    ])
    const { items } = (await get(`/v1/crawls/${id}/orphans`)).json
    t.strictSame(
      items.map((item: { id: number }) => item.id),
      [905, 906, 907],
    )
    const { fetchedAt, status } = page(0)
    t.strictSame(items[0], { id: 905, url: at('/narcissus'), status, fetched_at: fetchedAt })
  })

  t.test('counts a link to any URL of a chain of redirects, in whatever order they were found', async t => {
    const to = (...paths: string[]) => paths.map(path => edge(at(path)))
    const pages = (from: number, found: Partial<TestPage>) => [
      { id: from, url: seed, edges: to('/first', '/a', '/round') },
      { id: from + 1, url: at('/a'), edges: to('/second') },
      { id: from + 2, url: at('/final'), edges: to('/first'), ...found },
    ]
    const moved = (...chain: string[]) =>
      chain.slice(1).map((path, n) => ({
        type: 'PagesDuplicated',
        data: { pages: [{ key: urlKey(at(chain[n] ?? '')), of: urlKey(at(path)) }] },
      }))
    const hops = moved('/first', '/second', '/third', '/final')
    const counted = async (id: number, ...redirects: object[]) => {
      const last = [...moved('/round', '/trip', '/round'), finished(3, 0)]
      for (const event of [...redirects, ...last])
        await publish(around.bus, subjects.run(id), commit(id, 20, event).payload)
      await until(async () => (await get(`/v1/crawls/${id}`)).json.status === 'done')
      const { items } = (await get(`/v1/crawls/${id}/pages?fields=inlinks`)).json
      const orphans = (await get(`/v1/crawls/${id}/orphans`)).json.items
      return [items.map(({ inlinks }: { inlinks: number }) => inlinks), orphans.length]
    }
    const crawled = await run(pages(950, { requestedUrl: at('/first') }))
    t.strictSame(await counted(crawled, ...hops), [[0, 1, 2], 0], 'found by its redirects')
    const listed = await run(pages(960, {}))
    t.strictSame(await counted(listed, ...hops.toReversed()), [[0, 1, 2], 0], 'found by its own URL')

    const { rows } = await around.pool.query(
      `select sequence from read.pageless where run_id = $1 and cause = 'redirected' order by sequence`,
      [listed],
    )
    const redirectsAsOf = async (upToSequence: number) => {
      const past = { projectId: 7, runId: listed, upTo: 962, upToSequence }
      const inlinks = await knownPages(ofProject(around.pool), past, AbortSignal.timeout(10_000))
      const paths = ['/first', '/second', '/third']
      return paths.filter(path => inlinks.pages.find(urlKey(at(path))) !== undefined)
    }
    t.strictSame(
      [
        await redirectsAsOf(rows[0].sequence - 1),
        await redirectsAsOf(rows[0].sequence),
        await redirectsAsOf(rows[1].sequence),
      ],
      [[], ['/third'], ['/second', '/third']],
      'and as of an earlier time by the redirects of that time',
    )
  })

  t.test('finds the same orphans as another computation', async t => {
    const pages = madeUp(400)
    const id = await run(pages)
    const { items } = (await get(`/v1/crawls/${id}/orphans`)).json
    const known = orphansOf(pages)
    t.ok(known.length > 5 && known.length < 390, `${known.length} orphans`)
    t.strictSame(
      items.map((item: { url: string }) => item.url),
      known,
    )
  })

  t.test('is empty with a reason if no bodies were kept', async t => {
    const id = await run(madeUp(3), false)
    for (const [list, empty] of [
      ['links', { items: [], next_offset: null }],
      ['orphans', { items: [] }],
    ] as const) {
      const { status, json } = await get(`/v1/crawls/${id}/${list}`)
      t.equal(status, 200)
      t.match(json, { ...empty, warnings: [/store_html: false/] })
    }
  })

  t.test("is empty for a run without pages, and absent for another project's run", async t => {
    const id = await run([])
    t.strictSame((await get(`/v1/crawls/${id}/links`)).json, { items: [], next_offset: null })
    const { json: orphans } = await get(`/v1/crawls/${id}/orphans`)
    t.match(orphans, { items: { length: 0 }, warnings: [/^the crawl is running/] })
    t.equal(orphans.items.length, 0)
    for (const path of [`${id}/links`, `${id}/orphans`, `${id}/diff/${id}`, `${id}/diff/99999`]) {
      t.equal((await get(`/v1/crawls/${path}`, { key: foreign })).status, 404, path)
    }
    t.equal((await get(`/v1/crawls/${id}/diff/99999`)).status, 404)
    t.equal((await get(`/v1/crawls/99999/diff/${id}`)).status, 404)
    for (const query of ['limit=0', 'limit=-1', 'limit=100001', 'offset=-1', 'from_page_id=x']) {
      t.equal((await get(`/v1/crawls/${id}/links?${query}`)).status, 400, query)
    }
    for (const unknown of ['9223372036854775807', '9007199254740992', '9007199254740991']) {
      const { status, json } = await get(`/v1/crawls/${id}/links?from_page_id=${unknown}`)
      t.strictSame({ status, json }, { status: 200, json: { items: [], next_offset: null } }, unknown)
    }
    for (const beyond of ['9'.repeat(30), '0', '-1']) {
      const { status, json } = await get(`/v1/crawls/${id}/links?from_page_id=${beyond}`)
      t.match(
        { status, ...json.error },
        { status: 400, reason: 'out_of_range', field: 'from_page_id' },
        beyond,
      )
    }
  })

  t.test('distinguishes two runs by the hashes of their pages', async t => {
    const hash = (n: number) => String(n % 10).repeat(64)
    const paths = Array.from({ length: 2_500 }, (_, n) => `/${(n * 7919) % 2_500}`)
    const before = paths.filter((_, n) => n % 11 !== 0)
    const after = paths.filter((_, n) => n % 7 !== 0)
    const make = (paths: string[], first: number, shift: number) =>
      paths.map((path, n) => ({ id: first + n, url: at(path), contentHash: hash(path.length + shift) }))
    const [one, two] = [make(before, 20_000, 0), make(after, 30_000, 0)]
    for (const changed of two.filter((_, n) => n % 5 === 0)) changed.contentHash = hash(9)
    const [oldId, newId] = [await run(one), await run(two)]
    for (const id of [oldId, newId]) await client.append(id, finished(1, 0))
    for (const id of [oldId, newId])
      await until(async () => (await get(`/v1/crawls/${id}`)).json.status === 'done')
    t.strictSame((await get(`/v1/crawls/${oldId}/diff/${newId}`)).json, difference(oldId, one, newId, two))
    t.strictSame((await get(`/v1/crawls/${newId}/diff/${oldId}`)).json, difference(newId, two, oldId, one))
    t.match((await get(`/v1/crawls/${newId}/diff/${newId}`)).json, {
      summary: { added: 0, removed: 0, changed: 0, unchanged: two.length },
      added: { length: 0 },
      removed: { length: 0 },
      changed: { length: 0 },
    })
  })
})

test('A ranking of a crawl that is deleted meanwhile is not found, and not billed', async t => {
  const bill: string[] = []
  let isDeleted = false
  const ports = {
    metering: {
      reserve: async () => ({ granted: 1 }),
      served: async () => void bill.push('served'),
      failed: () => void bill.push('failed'),
    },
    hasRun: async () => !isDeleted,
    keepsLinks: async () => true,
    graphPages: {
      list: async () => {
        isDeleted = true
        return { keys: [], redirects: [], starts: [], hasEnded: true, isCut: false }
      },
    },
  } as unknown as ActorPorts
  const order = { body: { crawl_id: 1, top_n: 5 }, payer: { projectId: 7 } as Payer, requestId: 'r' }
  const ranking = rankRun(ports, order, {
    ...{ workId: 1, signal: new AbortController().signal, progress: () => {} },
  })
  await t.rejects(ranking, { code: 'not_found' })
  t.strictSame(bill, ['failed'])
})

const site = '127.0.0.1:8099'
const at = (path: string) => `http://${site}${path}`
const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

const edge = (href: string, more: Partial<Edge> = {}): Edge => ({
  href,
  anchor: 'there',
  rel: null,
  nofollow: false,
  ...more,
})

/** Returns pages whose links lead to each other, to themselves, to redirects, to missing pages, and to other sites. */
function madeUp(count: number): TestPage[] {
  const random = randomNumbers(count)
  const first = count * 1_000
  return Array.from({ length: count }, (_, n) => ({
    id: first + n,
    url: n === 0 ? seed : at(`/p${n}`),
    ...(n % 9 === 4 && { requestedUrl: at(`/old${n}`) }),
    edges: Array.from({ length: n % 13 === 0 ? 0 : random(40) }, (_, position) => {
      const target = random(count)
      const hrefs = [
        at(`/p${target}`),
        at(`/p${target % 60}`),
        at(`/old${target}`),
        at(`/p${n}`),
        `https://${site}/p${target % 60}`,
        `http://127.0.0.1/p${target}`,
        `http://elsewhere${target}.example/`,
      ]
      const nofollow = position % 5 === 0
      return edge(hrefs[random(hrefs.length)] ?? '', { nofollow, rel: nofollow ? 'nofollow' : null })
    }),
  }))
}

/** Returns the same numbers on each run (a linear congruential generator). */
function randomNumbers(start: number): (below: number) => number {
  let state = start
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function orphansOf(pages: TestPage[]): string[] {
  const isLinked = ({ url, requestedUrl }: TestPage) =>
    pages.some(
      other => other.url !== url && other.edges?.some(({ href }) => href === url || href === requestedUrl),
    )
  return pages.filter(page => page.url !== seed && !isLinked(page)).map(({ url }) => url)
}

type Hashed = { url: string; contentHash: string }

function difference(oldId: number, one: Hashed[], newId: number, two: Hashed[]) {
  const hashes = (pages: Hashed[]) => new Map(pages.map(({ url, contentHash }) => [url, contentHash]))
  const [before, after] = [hashes(one), hashes(two)]
  const byUrl = (a: { url: string }, b: { url: string }) => (a.url < b.url ? -1 : 1)
  const only = (these: Map<string, string>, those: Map<string, string>) =>
    [...these].filter(([url]) => !those.has(url)).map(([url, hash]) => ({ url, hash, status: 200 }))
  const both = [...before].flatMap(([url, old_hash]) => {
    const new_hash = after.get(url)
    return new_hash === undefined ? [] : [{ url, old_hash, new_hash, old_status: 200, new_status: 200 }]
  })
  const changed = both.filter(({ old_hash, new_hash }) => old_hash !== new_hash).sort(byUrl)
  const added = only(after, before).sort(byUrl)
  const removed = only(before, after).sort(byUrl)
  return {
    old_run_id: oldId,
    new_run_id: newId,
    summary: {
      added: added.length,
      removed: removed.length,
      changed: changed.length,
      unchanged: both.length - changed.length,
      not_revisited: 0,
      not_compared: 0,
      pages: both.length + added.length + removed.length,
    },
    added,
    removed,
    changed,
    not_revisited: [],
    not_compared: [],
  }
}

/** Stores a run with these pages in the read model and in the content store. Every third has links in the first format. */
async function crawled(
  around: Surroundings,
  { get, post, append }: ReturnType<typeof caller>,
  pages: TestPage[],
  keepsBodies: boolean,
): Promise<number> {
  const { id: runId } = (await post('/v1/crawls', { url: seed })).json
  const rows = pages.map(({ edges: _, url, ...more }) => page(more.id, { ...more, url, key: urlKey(url) }))
  await append(runId, started, settled(...rows))
  await stored(around, runId, pages, keepsBodies)
  await until(async () => (await get(`/v1/crawls/${runId}`)).json.page_count === pages.length)
  return runId
}

/** Stores the links of these pages. */
async function stored({ content }: Surroundings, runId: number, pages: TestPage[], keepsBodies = true) {
  const body = plainBody(Buffer.alloc(32, 1), Buffer.from('<p>'))
  await content.storePages(
    pages.map(({ url, edges = [] }, n) => ({
      runId,
      urlKey: urlKey(url),
      body: keepsBodies ? body : null,
      charset: null,
      contentType: null,
      metadata: '{}',
      edges: n % 3 === 1 ? asFirstStored(edges) : encodeEdges(edges),
    })),
  )
}

const asFirstStored = (edges: Edge[]) =>
  Buffer.concat([
    Buffer.of(1),
    zstdCompressSync(
      JSON.stringify(edges.map(({ href, anchor, rel, nofollow }) => [href, anchor, rel, nofollow ? 1 : 0])),
    ),
  ])
