/** The link graph of a small site, from its crawl to the answer: every field, and the rejected requests. */
import { createServer } from 'node:http'
import { listening } from '@tidemark/testing/listening'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

const path = '/v1/actors/internal-link-graph'

/** `/old` redirects to `/c`, which the sitemap lists too. Only nofollow links lead to `/hidden`. */
const files: Record<string, string> = {
  '/': `<a href=/a>A</a> <a href=/a#part>A again</a> <a href=/b>B</a> <a href=/old>moved</a> <a href=/>itself</a>
    <a href=/hidden rel=nofollow>H</a> <a href=/b rel=nofollow>B?</a> <a href=https://elsewhere.example/>away</a>
    <a href=/missing>gone</a>`,
  '/a': '<a href=/>home</a><a href=/b>B</a><a href=/dup?utm_source=x>dup</a>',
  '/alone': 'nothing leads here',
  '/b': '<a href=/>home</a>',
  '/c': '<a href=/>home</a><a href=/silent>quiet</a>',
  '/dup': '<link rel=canonical href=/a><a href=/>home</a>',
  '/hidden': '<a href=/>start &amp; "end"</a>',
  '/o1': '<a href=/o2>two</a>',
  '/o2': '<a href=/o1>one</a><a href=/><img src=x.png></a>',
  '/silent': '<meta name=robots content="index, NoFollow"><a href=/b>B</a>',
}
const urls = Object.keys(files)
const listed = [...urls, '/old']

/** The expected targets of each page: followed links, and targets with only nofollow links. */
const known: Record<string, { to?: string[]; disowned?: string[]; canonical?: string }> = {
  '/': { to: ['/a', '/b', '/c'], disowned: ['/hidden'] },
  '/a': { to: ['/', '/b', '/dup'] },
  '/b': { to: ['/'] },
  '/c': { to: ['/', '/silent'] },
  '/dup': { to: ['/'], canonical: '/a' },
  '/hidden': { to: ['/'] },
  '/o1': { to: ['/o2'] },
  '/o2': { to: ['/', '/o1'] },
  '/silent': { disowned: ['/b'] },
}

test('POST /v1/actors/internal-link-graph', async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path === '/old') return response.writeHead(301, { location: '/c' }).end()
    if (path === '/sitemap.xml') {
      const locs = listed.map(path => `<url><loc>${at(path)}</loc></url>`).join('')
      return response.end(
        `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locs}</urlset>`,
      )
    }
    return response.writeHead(path in files ? 200 : 404, { 'content-type': 'text/html' }).end(files[path])
  })
  const site = await listening(server, '127.1.61.1')
  t.teardown(site.close)
  const at = (path: string) => site.url + path

  const [key, other] = await Promise.all([
    system.createProject('link-graph'),
    system.createProject('link-graph-other'),
  ])
  const crawl = { url: at('/'), seed_kind: 'sitemap', delay_ms: 0 }
  const [run, bare] = await Promise.all([
    system.crawl(key, crawl),
    system.crawl(key, { ...crawl, store_html: false }),
  ])
  const rank = (body: unknown, as = key, headers = {}) => system.call(as, 'POST', path, body, headers)

  t.test('ranks the pages of a crawl by their links', async t => {
    const { status, body, headers } = await rank({ crawl_id: run.id })
    t.equal(status, 200)
    t.match(body, { actor: 'internal-link-graph', url: `crawl:${run.id}`, elapsed_ms: Number })
    t.equal(body.warnings, undefined)
    t.equal(headers.get('x-pages-billed'), '1')
    const { data } = body
    const ranks = naiveRanks()
    const order = urls.toSorted((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0))
    t.equal(data.pagerank.length, urls.length)
    t.equal(data.pagerank[0].url, at(order[0] ?? ''))
    let sum = 0
    for (const { url, score } of data.pagerank) {
      sum += score
      const expected = ranks[new URL(url).pathname] ?? 0
      t.ok(Math.abs(score - expected) < 1e-9, `${url}: ${score}, ${expected}`)
    }
    t.ok(Math.abs(sum - 1) < 1e-9, `the scores sum to ${sum}`)
    const edges = (...list: [string, number][]) => list.map(([path, edges]) => ({ url: at(path), edges }))
    t.strictSame(
      data.top_donors,
      edges(['/', 3], ['/a', 3], ['/c', 2], ['/o2', 2], ['/b', 1], ['/dup', 1], ['/hidden', 1], ['/o1', 1]),
    )
    t.strictSame(
      data.top_recipients,
      edges(['/', 6], ['/b', 2], ['/a', 1], ['/c', 1], ['/dup', 1], ['/o1', 1], ['/o2', 1], ['/silent', 1]),
    )
    const texts = (...list: [string, number][]) => list.map(([text, count]) => ({ text, count }))
    t.strictSame(data.anchor_text_by_target, [
      { url: at('/'), anchors: texts(['home', 4], ['', 1], ['start & "end"', 1]) },
      { url: at('/b'), anchors: texts(['B', 2]) },
      { url: at('/a'), anchors: texts(['A', 1], ['A again', 1]) },
      { url: at('/c'), anchors: texts(['moved', 1]) },
      { url: at('/dup'), anchors: texts(['dup', 1]) },
      { url: at('/o1'), anchors: texts(['one', 1]) },
      { url: at('/o2'), anchors: texts(['two', 1]) },
      { url: at('/silent'), anchors: texts(['quiet', 1]) },
    ])
    t.strictSame(data.orphan_clusters, [
      { size: 2, urls: [at('/o1'), at('/o2')] },
      { size: 1, urls: [at('/alone')] },
      { size: 1, urls: [at('/hidden')] },
    ])
    const { iterations, ...stats } = data.stats
    t.ok(iterations > 3 && iterations < 180, `${iterations} iterations`)
    t.strictSame(stats, {
      pages: 10,
      edges: 14,
      components: 2,
      converged: true,
      orphan_clusters: 3,
      orphan_pages: 4,
    })

    const again = await rank({ crawl_id: run.id })
    t.strictSame(again.body.data, data, 'a repeated request has the same answer')
    const one = (await rank({ crawl_id: run.id, top_n: 1 })).body.data
    t.strictSame(one.stats, data.stats)
    for (const list of [
      'pagerank',
      'top_donors',
      'top_recipients',
      'anchor_text_by_target',
      'orphan_clusters',
    ])
      t.strictSame(one[list], data[list].slice(0, 1), list)
  })

  t.test('streams its progress on request', async t => {
    const { headers, body } = await rank({ crawl_id: run.id }, key, { accept: 'text/event-stream' })
    t.match(headers.get('content-type'), /^text\/event-stream/)
    const events = [...body.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, name, data]) => [
      name,
      JSON.parse(data),
    ])
    t.match(
      events.map(([name, data]) => [name, data.stage]),
      [
        ['progress', 'listing the pages'],
        ['progress', 'reading the links'],
        ['progress', 'naming the pages'],
        ['result', undefined],
      ],
    )
    t.equal(events.at(-1)?.[1].url, `crawl:${run.id}`)
  })

  t.test('is empty and free for a crawl that stored no pages', async t => {
    const { status, body, headers } = await rank({ crawl_id: bare.id })
    t.equal(status, 200)
    t.match(body.warnings, [/store_html: false/])
    t.equal(headers.get('x-pages-billed'), '0')
    t.match(body.data, {
      pagerank: { length: 0 },
      orphan_clusters: { length: 0 },
      stats: { pages: 10, edges: 0, components: 0 },
    })
  })

  t.test('warns if the crawl is running', async t => {
    const slow = await system.call(key, 'POST', '/v1/crawls', { url: at('/b'), delay_ms: 60_000 })
    const { body } = await rank({ crawl_id: slow.body.id })
    t.match(body.warnings, [/has not ended/])
    await system.call(key, 'DELETE', `/v1/crawls/${slow.body.id}`)
  })

  t.test('rejects crawls of other projects and invalid requests', async t => {
    const missing = await rank({ crawl_id: 999_999_999 })
    const foreign = await rank({ crawl_id: run.id }, other)
    const beyond = await rank({ crawl_id: 2 ** 60 })
    for (const { status, body, headers } of [missing, foreign, beyond]) {
      t.equal(status, 404)
      t.equal(body.error.code, 'not_found')
      t.equal(headers.get('x-pages-billed'), '0')
    }
    const bad: [unknown, string][] = [
      [{}, 'crawl_id'],
      [{ crawl_id: 'x' }, 'crawl_id'],
      [{ crawl_id: 1.5 }, 'crawl_id'],
      [{ crawl_id: 0 }, 'crawl_id'],
      [{ crawl_id: 2 ** 64 }, 'crawl_id'],
      [{ crawl_id: run.id, top_n: 0 }, 'top_n'],
      [{ crawl_id: run.id, top_n: 1_001 }, 'top_n'],
      [{ crawl_id: run.id, top_n: '7' }, 'top_n'],
    ]
    for (const [body, field] of bad) {
      const answer = await rank(body)
      t.match(answer.body.error, { code: 'invalid_input', field }, JSON.stringify(body))
      t.equal(answer.status, 400)
    }
  })
})

/** Returns the rank of each path: multiplies by the transition matrix until the ranks converge. */
function naiveRanks(): Record<string, number> {
  const rows = urls.map(from => {
    const { to = [], disowned = [], canonical } = known[from] ?? {}
    const out = to.length + disowned.length
    if (canonical) return urls.map(url => Number(url === canonical))
    if (out === 0) return urls.map(() => 1 / urls.length)
    return urls.map(url => (to.includes(url) ? 1 / out : 0) + disowned.length / out / urls.length)
  })
  let ranks = urls.map(() => 1 / urls.length)
  for (let n = 0; n < 400; n++)
    ranks = ranks.map(
      (_, to) =>
        0.15 / urls.length +
        0.85 * ranks.reduce((sum, rank, from) => sum + rank * (rows[from]?.[to] ?? 0), 0),
    )
  return Object.fromEntries(urls.map((url, n) => [url, ranks[n] ?? 0]))
}
