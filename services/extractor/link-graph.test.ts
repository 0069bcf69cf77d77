/** The thread that reads link graphs: its results for packed links, and its early ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeCompact } from '@tidemark/bus/compact'
import { encodeEdges } from '@tidemark/content/edges'
import type { PackedLinks, PackedLinksReader } from '@tidemark/content/packed-links'
import { urlKey } from '@tidemark/url/key'
import { test } from 'tap'
import { createGraphThread } from './adapters/graph-thread.ts'
import { type MapLimits, mapLinks } from './handlers/actors/map-links.ts'
import { mapStoredLinks, rankLinks } from './handlers/actors/rank-links.ts'

type Page = { links?: [path: string, text?: string, nofollow?: true][]; canonical?: string; silent?: true }

const at = (path: string) => `http://a.test${path}`
const bytesOf = (path: string) => Buffer.from(urlKey(at(path)), 'base64url')

/** `/was-c` and `/was-was-c` redirected to `/c`. */
const site: Record<string, Page> = {
  '/': {
    links: [
      ['/a', 'A'],
      ['/was-c', 'C'],
      ['/was-was-c', 'C'],
      ['/b', 'B', true],
      ['/nowhere', 'x'],
    ],
  },
  '/a': {
    links: [
      ['/', 'home'],
      ['/?q=\\', 'query'],
    ],
  },
  '/?q=\\': { links: [['/', 'home']], canonical: '/was-c' },
  '/b': { links: [['/', 'B is home']], silent: true },
  '/c': { links: [['/']] },
}
const paths = Object.keys(site).sort()
const redirects = ['/was-c', '/was-was-c']

test('The thread of link graphs', async t => {
  await using graphs = createGraphThread()
  const stored = Object.entries(site).map(([path, page]) => packed(path, page))
  const reader = (all: PackedLinksReader['all']): PackedLinksReader => ({
    all,
    at: async (_, keys) => joined(stored.filter(({ keys: key }) => keys.includes(key))),
  })
  const whole = reader(async function* () {
    for (const page of stored) yield joined([page, packed('/not-yet-a-page', { links: [['/']] })])
  })
  const never = { watch: () => ({ signal: new AbortController().signal, [Symbol.dispose]() {} }) }
  const request = {
    workId: -1,
    projectId: 7,
    runId: 1,
    topN: 10,
    keys: Buffer.concat(paths.map(bytesOf)).toString('base64'),
    redirects: Buffer.concat(redirects.map(path => aliased(path, '/c'))).toString('base64'),
    start: paths.indexOf('/'),
  }
  const rank = rankLinks({ graphs, packedLinks: whole, dropped: never })

  await t.test('follows redirects, and respects nofollow and canonical URLs', async t => {
    const found = await rank(request)
    const position = (path: string) => paths.indexOf(path)
    t.match(found, { edges: 6, components: 2, orphanPages: 1, converged: true, warnings: { length: 0 } })
    t.strictSame(found.clusters, [[1, [position('/b')]]])
    t.strictSame(found.recipients, [
      [position('/'), 3],
      ...[position('/?q=\\'), position('/a'), position('/c')].map(index => [index, 1]),
    ])
    t.strictSame(found.anchors, [
      [
        ['home', 2],
        ['', 1],
      ],
      [['query', 1]],
      [['A', 1]],
      [['C', 2]],
    ])
    const scores = new Map(found.pagerank)
    const of = (path: string) => scores.get(position(path)) ?? 0
    const rest = 0.15 / 5 + (0.85 * (of('/') / 3 + of('/b'))) / 5
    const near = (path: string, score: number) => t.ok(Math.abs(of(path) - score) < 1e-9, path)
    near('/b', rest)
    near('/a', rest + (0.85 * of('/')) / 3)
    near('/c', rest + 0.85 * (of('/') / 3 + of('/?q=\\')))
    near('/', rest + 0.85 * (of('/a') / 2 + of('/c')))
  })

  await t.test('maps the same links for the audit of a site', async t => {
    const others = ['/was-c', '/was-was-c', '/nowhere', '/unlinked']
    const ends = ['/c', '/c', null, null].map(end => (end === null ? -1 : paths.indexOf(end)))
    const packedOthers = others.map((path, n) => {
      const end = Buffer.alloc(4)
      end.writeInt32LE(ends[n] as number)
      return Buffer.concat([bytesOf(path), end])
    })
    const isWatched = [...paths, ...others].map(path => Number(['/b', ...others].includes(path)))
    const mapped = await mapStoredLinks({ graphs, packedLinks: whole, dropped: never })({
      ...request,
      others: Buffer.concat(packedOthers).toString('base64'),
      watched: Buffer.from(isWatched).toString('base64'),
    })
    const bytes = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64')).buffer
    const position = (path: string) => [...paths, ...others].indexOf(path)
    const of = (numbers: ArrayLike<number>) => Object.fromEntries(paths.map((path, n) => [path, numbers[n]]))
    const ranked = new Map((await rank(request)).pagerank)
    t.strictSame(
      [...new Float64Array(bytes(mapped.scores))],
      [...paths.keys()].map(n => ranked.get(n)),
    )
    t.strictSame(of(new Uint8Array(bytes(mapped.linked))), { '/': 1, '/?q=\\': 1, '/a': 1, '/b': 1, '/c': 1 })
    t.strictSame(of(new Uint32Array(bytes(mapped.inlinks))), {
      '/': 3,
      '/?q=\\': 1,
      '/a': 1,
      '/b': 0,
      '/c': 1,
    })
    t.strictSame(of(new Int32Array(bytes(mapped.clicks))), {
      '/': 0,
      '/?q=\\': 2,
      '/a': 1,
      '/b': -1,
      '/c': 1,
    })
    const links = ['/was-c', '/was-was-c', '/b', '/nowhere'].flatMap(to => [position('/'), position(to)])
    t.strictSame([...new Uint32Array(bytes(mapped.links))], links)
    t.match(mapped, { isCut: false, isWatchedCut: false, warnings: { length: 0 } })
  })

  await t.test('reaches pages behind a start that forwards', async t => {
    const at = ['/home', '/en', '/en/a']
    const pages = [
      packed('/home', { links: [] }),
      packed('/en', { links: [['/en/a', 'A']] }),
      packed('/en/a', {}),
    ]
    const keys = Buffer.concat(at.map(bytesOf))
    const clicksOf = async (forwards?: number[]) => {
      const left = [joined(pages)]
      const requested = { keys, others: new Uint8Array(), watched: new Uint8Array(at.length), start: 0 }
      const mapped = await mapLinks(
        { ...requested, ...(forwards && { forwards }) },
        async () => left.shift() ?? null,
      )
      return [...new Int32Array(Uint8Array.from(Buffer.from(mapped.clicks, 'base64')).buffer)]
    }
    t.strictSame(await clicksOf(), [0, -1, -1])
    t.strictSame(await clicksOf([1]), [0, 0, 1], 'without a click')
  })

  await t.test('says which links it left out', async t => {
    const [map, batches] = [{ keys: Buffer.concat(paths.map(bytesOf)), start: paths.indexOf('/') }, stored]
    const mapped = (limits: MapLimits) => {
      const left = [...batches]
      const watched = new Uint8Array(paths.length).fill(1)
      const next = left.map(page => joined([page]))
      return mapLinks({ ...map, others: new Uint8Array(), watched }, async () => next.shift() ?? null, limits)
    }
    const all = await mapped({})
    t.match(all, { isCut: false, isWatchedCut: false, warnings: { length: 0 } })
    t.match(await mapped({ links: 2 }), {
      ...{ isCut: true, isWatchedCut: false, linked: all.linked, links: all.links },
      warnings: ['only the first 2 links were read: the crawl exceeds the limit'],
    })
    t.match(await mapped({ watched: 2 }), {
      ...{ isCut: false, isWatchedCut: true, clicks: all.clicks, inlinks: all.inlinks },
      warnings: ['only 2 links to faulty URLs are listed: the crawl exceeds the limit'],
    })
  })

  await t.test('re-reads texts of a few pages at a time, if they still exist', async t => {
    const requested: number[] = []
    const alone: PackedLinksReader = {
      all: whole.all,
      async at(_, keys) {
        requested.push(keys.length)
        return joined(stored.filter(({ keys: key }) => keys.includes(key)).slice(0, 1))
      },
    }
    const bitByBit = rankLinks({ graphs, packedLinks: alone, dropped: never })
    t.strictSame(await bitByBit(request), await rank(request))
    t.strictSame(requested, [3, 2, 1])
    const withoutLinks = { ...alone, at: async () => joined([]) }
    const found = await rankLinks({ graphs, packedLinks: withoutLinks, dropped: never })(request)
    t.strictSame(found.anchors, [[], [], [], []])
  })

  await t.test('fits into one message, even if its texts compress badly', async t => {
    const targets = Array.from({ length: 1_000 }, (_, n) => `/${n}`)
    const sources = Array.from({ length: 20 }, (_, n) => `/from-${n}`)
    const pages = sources.map(path => packed(path, { links: targets.map(to => [to, noise(200)]) }))
    const noisy: PackedLinksReader = {
      async *all() {
        yield joined(pages)
      },
      at: async (_, keys) => joined(pages.filter(({ keys: key }) => keys.includes(key)).slice(0, 3)),
    }
    const found = await rankLinks({ graphs, packedLinks: noisy, dropped: never })({
      ...request,
      topN: 1_000,
      keys: Buffer.concat([...targets, ...sources].map(bytesOf)).toString('base64'),
      redirects: '',
      start: 0,
    })
    t.strictSame(found.warnings, [
      'link texts of the last recipients are left out: together they are too long',
    ])
    const counts = found.anchors.map(anchors => anchors.length)
    t.strictSame([counts.length, counts[0], counts.at(-1)], [1_000, 20, 0])
    t.ok(encodeCompact(found).byteLength > 4 * 1024 ** 2, 'and is not refused')
  })

  await t.test('serves all callers, one after the other', async t => {
    const all = await Promise.all([7, 8, 7, 9].map(projectId => rank({ ...request, projectId })))
    for (const found of all) t.strictSame(found, all[0])
  })

  await t.test('reports errors of reading links, and continues', async t => {
    const broken = reader(async function* () {
      yield joined([packed('/', site['/'] ?? {})])
      throw new Error('the database is away')
    })
    await t.rejects(rankLinks({ graphs, packedLinks: broken, dropped: never })(request), /database is away/)
    const slow = reader(async function* () {
      yield joined([packed('/', site['/'] ?? {})])
      throw Object.assign(new Error('canceling statement'), { code: '57014' })
    })
    const tooSlow = { code: 'fetch_failed', reason: 'timeout' }
    await t.rejects(rankLinks({ graphs, packedLinks: slow, dropped: never })(request), tooSlow)
    const foreign = reader(async function* () {
      yield { ...joined([packed('/', {})]), sizes: Uint32Array.of(2), blobs: Uint8Array.of(9, 9) }
    })
    await t.rejects(rankLinks({ graphs, packedLinks: foreign, dropped: never })(request), /version 9/)
    t.equal((await rank(request)).edges, 6)
  })

  await t.test('ends when no client is waiting', async t => {
    const dropping = new AbortController()
    const endless = reader(async function* () {
      for (;;) {
        await sleep(1)
        yield joined([packed('/not-yet-a-page', {})])
      }
    })
    const dropped = { watch: () => ({ signal: dropping.signal, [Symbol.dispose]() {} }) }
    const requested = rankLinks({ graphs, packedLinks: endless, dropped })(request)
    setTimeout(() => dropping.abort(), 50)
    await t.rejects(requested, { name: 'Refusal', code: 'unavailable' })
    t.equal((await rank(request)).edges, 6)
  })
})

test('A thread of link graphs that is closed refuses', async t => {
  const graphs = createGraphThread()
  await graphs[Symbol.asyncDispose]()
  const links = { all: async function* () {}, at: async () => joined([]) }
  const request = { keys: Buffer.alloc(0), redirects: Buffer.alloc(0), start: -1, topN: 1 }
  await t.rejects(graphs.rank(request, links, 7, new AbortController().signal), { code: 'unavailable' })
})

/** A text of this many characters, most of three bytes. */
const noise = (length: number): string =>
  String.fromCharCode(...crypto.getRandomValues(new Uint16Array(length)).map(code => 0x800 + (code % 0xd000)))

function aliased(path: string, to: string): Buffer {
  const index = Buffer.alloc(4)
  index.writeUInt32BE(paths.indexOf(to))
  return Buffer.concat([bytesOf(path), index])
}

function packed(path: string, { links = [], canonical, silent }: Page): PackedLinks {
  const blob = encodeEdges(
    links.map(([to, anchor = '', nofollow = false]) => ({ href: at(to), anchor, rel: null, nofollow })),
  )
  return {
    keys: urlKey(at(path)),
    canonicals: [canonical === undefined ? null : at(canonical)],
    silent: Uint8Array.of(silent ? 1 : 0),
    sizes: Uint32Array.of(blob.byteLength),
    blobs: Uint8Array.from(blob),
  }
}

const joined = (pages: readonly PackedLinks[]): PackedLinks => ({
  keys: pages.map(({ keys }) => keys).join(''),
  canonicals: pages.flatMap(({ canonicals }) => canonicals),
  silent: Uint8Array.from(pages.flatMap(({ silent }) => [...silent])),
  sizes: Uint32Array.from(pages.flatMap(({ sizes }) => [...sizes])),
  blobs: Uint8Array.from(pages.flatMap(({ blobs }) => [...blobs])),
})
