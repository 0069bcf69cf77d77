/** The layout of the link graph, the choice of links that it draws, and the worker that reads it. */
import fc from 'fast-check'
import { test } from 'tap'
import { collectLinks } from './web/graph/edges.ts'
import { type Graph, startLayout } from './web/graph/layout.ts'

// These files of the console have the types of a browser, which this test does not have.
const { actorWork } = await import(new URL('./web/data/actor-work.ts', import.meta.url).href)
const { graphOf, stateOf } = await import(new URL('./web/graph/graph-work.ts', import.meta.url).href)

const graphs: fc.Arbitrary<Graph> = fc
  .integer({ min: 1, max: 60 })
  .chain(nodes =>
    fc
      .array(fc.tuple(fc.nat(nodes - 1), fc.nat(nodes - 1)), { maxLength: 150 })
      .map(edges => ({ nodes, edges: Uint32Array.from(edges.flat()) })),
  )

function arranged(graph: Graph, seed: number): Float32Array {
  const { xy, step } = startLayout(graph, seed)
  while (step() < 1);
  return xy
}

const distance = (xy: Float32Array, a: number, b: number): number =>
  Math.hypot(
    (xy[2 * a] as number) - (xy[2 * b] as number),
    (xy[2 * a + 1] as number) - (xy[2 * b + 1] as number),
  )

test('Each graph gets finite positions near the center, with or without connections', async t => {
  fc.assert(
    fc.property(graphs, fc.integer(), (graph, seed) => {
      const xy = arranged(graph, seed)
      const limit = 40 * Math.sqrt(graph.nodes) + 60
      return xy.length === 2 * graph.nodes && xy.every(value => Math.abs(value) < limit)
    }),
    { numRuns: 60 },
  )
  t.strictSame([...arranged({ nodes: 0, edges: new Uint32Array() }, 1)], [], 'also no nodes')
})

test('The same graph and seed give the same positions, another seed others', async t => {
  fc.assert(
    fc.property(graphs, fc.integer(), (graph, seed) => {
      const [one, other] = [arranged(graph, seed), arranged(graph, seed)]
      return one.every((value, n) => value === other[n])
    }),
    { numRuns: 30 },
  )
  const graph = { nodes: 9, edges: Uint32Array.of(0, 1, 1, 2) }
  t.notSame([...arranged(graph, 1)], [...arranged(graph, 2)])
})

test('Linked nodes are near each other, and unlinked ones do not overlap', async t => {
  const ring = (first: number, count: number) =>
    Array.from({ length: count }, (_, n) => [first + n, first + ((n + 1) % count)]).flat()
  const graph = { nodes: 40, edges: Uint32Array.from([...ring(0, 20), ...ring(20, 20)]) }
  const xy = arranged(graph, 7)
  const pairs = Array.from({ length: 40 * 40 }, (_, n) => [Math.floor(n / 40), n % 40] as const)
  const linked = pairs.filter(([a, b]) => b === a + 1 && b !== 20)
  const mean = (chosen: typeof pairs) =>
    chosen.reduce((sum, [a, b]) => sum + distance(xy, a, b), 0) / chosen.length
  t.ok(mean(linked) < mean(pairs) / 2, 'a link is shorter than the mean distance')
  t.ok(pairs.every(([a, b]) => a === b || distance(xy, a, b) > 3))
  const parts = pairs.filter(([a, b]) => a < 20 && b >= 20)
  t.ok(Math.max(...parts.map(([a, b]) => distance(xy, a, b))) < 500, 'two parts stay in one picture')
})

const pagesNamed = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    ...{ id: n + 1, url: `https://example.com/${n}`, title: null, status: 200, depth: 1, inlinks: 0 },
  }))

test('Links are counted once for each pair, without those to other URLs and to the page itself', async t => {
  const links = collectLinks(pagesNamed(3))
  for (const [from, to] of [
    [1, 1],
    [1, 1],
    [1, 0],
    [1, 9],
    [2, 2],
    [3, 1],
  ] as const)
    links.add(from, `https://example.com/${to}`)
  const { edges, total, outlinks } = links.chosen()
  t.strictSame([...edges], [0, 1, 1, 2, 2, 1])
  t.equal(total, 3)
  t.strictSame([...outlinks], [1, 1, 1])
})

test('Of too many links each page keeps one, and links of a menu are left out first', async t => {
  const count = 1000
  const links = collectLinks(pagesNamed(count))
  const menu = 20
  for (let page = 0; page < count; page++) {
    for (let to = 0; to < menu; to++) links.add(page + 1, `https://example.com/${to}`)
    links.add(page + 1, `https://example.com/${(page + 1) % count}`)
  }
  const { edges, total } = links.chosen()
  t.ok(total > 15_000)
  t.equal(edges.length, 2 * 15_000)
  t.equal(new Set(edges.filter((_, n) => n % 2 === 1)).size, count, 'each page is linked')
  const own = Array.from({ length: edges.length / 2 }, (_, n) => n).filter(
    n => edges[2 * n + 1] === ((edges[2 * n] as number) + 1) % count,
  )
  t.equal(own.length, count - 1, 'the links that are no menu are all drawn')
})

type FakeWorker = { orders: object[]; isEnded: boolean; onmessage: (event: { data: object }) => void }

/** Replaces the workers of a browser. Returns those that were started. */
function workers(): FakeWorker[] {
  const started: FakeWorker[] = []
  class Worker implements FakeWorker {
    orders: object[] = []
    isEnded = false
    onmessage = () => {}
    constructor() {
      started.push(this)
    }
    postMessage(order: object) {
      this.orders.push(order)
    }
    terminate() {
      this.isEnded = true
    }
  }
  Object.assign(globalThis, {
    Worker,
    document: { querySelector: () => null },
    matchMedia: () => ({ matches: false }),
  })
  return started
}

const ended = { id: 1, finished_at: '2026-01-02T03:04:05.000Z', page_count: 12 }

test('A failed read of the graph is repeated on request only', async t => {
  const started = workers()
  const work = graphOf(ended)
  started[0]?.onmessage({ data: { type: 'failed', message: 'Too many requests.', status: 429 } })
  t.equal(graphOf(ended), work, 'the next rendering shows the error')
  t.match(work.error.value, { message: 'Too many requests.' })
  t.equal(started.length, 1)
  work.read(ended)
  t.equal(started.length, 2)
  t.equal(started[0]?.isEnded, true)
  t.equal(work.error.value, null)
  t.strictSame(started[1]?.orders, [{ run: 1, maxNodes: 5000, skipsAnimation: false }])
})

test('The graph of a running crawl is read again on request and at its end', async t => {
  const started = workers()
  const [running, grown] = [10, 50].map(page_count => ({ id: 2, finished_at: null, page_count }))
  const work = graphOf(running)
  t.equal(graphOf(grown), work, 'not at every read of the crawl')
  t.not(work.state.value, stateOf(grown), 'the screen sees that the graph is old')
  work.read(grown)
  t.equal(work.state.value, stateOf(grown))
  t.equal(started.length, 2)
  const [end, laterEnd] = ['2026-01-02T03:04:05.000Z', '2026-01-02T04:00:00.000Z']
  const final = graphOf({ ...grown, finished_at: end })
  t.not(final, work)
  t.not(graphOf({ ...grown, finished_at: laterEnd, page_count: 51 }), final, 'failed URLs were retried')
  t.equal(started.length, 4)
  t.equal(started.filter(({ isEnded }) => !isEnded).length, 1)
})

test('The result of an actor keeps the state of the crawl that it was computed for', async t => {
  const actor = async () => ({ data: {} })
  const work = actorWork(actor, { crawl_id: 1 })
  await work.run('null 10')
  t.equal(actorWork(actor, { crawl_id: 1 }), work)
  t.equal(work.basis.value, 'null 10')
  await work.run('null 50')
  t.equal(work.basis.value, 'null 50')
})
