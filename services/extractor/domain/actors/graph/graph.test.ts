import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { type Test, test } from 'tap'
import { anchorCountsOf } from './anchor-counts.ts'
import { AnchorNames, unknownText } from './anchor-names.ts'
import { anchorTexts } from './anchor-texts.ts'
import { withoutCircles } from './canonicals.ts'
import { componentsOf, orphanClusters, reachedFrom } from './clusters.ts'
import { flowOf } from './flow.ts'
import { KeyTable } from './key-table.ts'
import { LinkLog } from './link-log.ts'
import { pagerank } from './pagerank.ts'
import { rankedLinksOf } from './ranked-links.ts'
import { highest } from './rankings.ts'

type Link = { from: number; to: number; anchor?: number; nofollow?: boolean }

const graphs = fc.integer({ min: 0, max: 14 }).chain(pages => {
  const page = fc.integer({ min: 0, max: Math.max(0, pages - 1) })
  const link = fc.record({ from: page, to: page, nofollow: fc.boolean() })
  return fc.record({
    pages: fc.constant(pages),
    links: fc.array(link, { maxLength: pages === 0 ? 0 : 3 * pages }),
    canonicals: fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(-1) }, page), {
      minLength: pages,
      maxLength: pages,
    }),
  })
})

test('The link graph of a run', async t => {
  t.test('has the ranks of the naive computation, for any links', async t => {
    fc.assert(
      fc.property(graphs, ({ pages, links, canonicals }) => {
        const kept = withoutCircles(Int32Array.from(canonicals))
        const { scores, converged } = pagerank(flowOf(logOf(pages, links), kept))
        const known = denseRanks(pages, links, [...kept])
        t.ok(converged)
        const sum = scores.reduce((sum, score) => sum + score, 0)
        if (pages > 0) near(t, sum, 1, 1e-12)
        for (const [page, score] of scores.entries()) near(t, score, known[page] as number, 1e-9)
      }),
      { numRuns: sized(150, 400) },
    )
  })

  t.test('has ranks that were computed by hand', async t => {
    const ranks = (pages: number, links: Link[], canonicals: number[] = []) => {
      const none = new Int32Array(pages).fill(-1)
      none.set(canonicals)
      return [...pagerank(flowOf(logOf(pages, links), none)).scores]
    }
    t.strictSame(ranks(0, []), [])
    t.strictSame(ranks(1, []), [1])
    t.strictSame(ranks(4, []), [0.25, 0.25, 0.25, 0.25], 'without links all are equal')
    const ring = [0, 1, 2].map(from => ({ from, to: (from + 1) % 3 }))
    t.ok(
      ranks(3, ring).every(score => Math.abs(score - 1 / 3) < 1e-12),
      'in a ring too',
    )

    const [a = 0, b = 0] = ranks(2, [{ from: 0, to: 1 }])
    // b = (1 - d) / 2 + d * (a + b / 2), a + b = 1
    near(t, b, (1 + 0.85) / (2 + 0.85), 1e-9, 'a page without links gives to all')
    near(t, a, 1 - (1 + 0.85) / (2 + 0.85), 1e-9)

    const many = Array.from({ length: 9 }, () => ({ from: 0, to: 1 }))
    t.strictSame(
      ranks(3, [...many, { from: 0, to: 2 }, { from: 0, to: 0 }]).slice(1),
      ranks(3, [
        { from: 0, to: 1 },
        { from: 0, to: 2 },
      ]).slice(1),
      'a second link, and one to the page itself, change nothing',
    )
    const [, followed = 0, disowned = 0, other = 0] = ranks(4, [
      { from: 0, to: 1 },
      { from: 0, to: 2, nofollow: true },
    ])
    t.equal(disowned, other, 'a disowned link gives nothing to its target')
    t.ok(followed < (ranks(4, [{ from: 0, to: 1 }])[1] as number), 'and takes its share from the others')
    t.strictSame(
      ranks(3, [
        { from: 0, to: 1 },
        { from: 0, to: 1, nofollow: true },
        { from: 0, to: 2 },
      ]),
      ranks(3, [
        { from: 0, to: 1 },
        { from: 0, to: 2 },
      ]),
      'beside a followed link it does not count',
    )

    const [, main = 0, beside = 0] = ranks(3, [{ from: 0, to: 2 }], [1])
    t.ok(main > beside, 'a page gives all to its canonical page, and nothing by its links')
    t.equal(beside, ranks(3, [], [1])[2])
  })

  t.test('stops after a maximum number of iterations, and reports it', async t => {
    const chain = Array.from({ length: 30 }, (_, from) => ({ from, to: (from * 7 + 1) % 30 }))
    const flow = flowOf(logOf(30, [...chain, { from: 3, to: 5 }]), new Int32Array(30).fill(-1))
    const { converged, iterations, scores } = pagerank(flow, 3)
    t.strictSame([converged, iterations], [false, 3])
    near(
      t,
      scores.reduce((sum, score) => sum + score, 0),
      1,
      1e-12,
    )
    t.ok(pagerank(flow).iterations < 180)
  })

  t.test('ignores canonical URLs in a circle', async t => {
    t.strictSame([...withoutCircles(Int32Array.of(0, -1, 1))], [-1, -1, 1], 'a page may name itself')
    t.strictSame([...withoutCircles(Int32Array.of(1, 0, 1, 2))], [-1, -1, 1, 2])
    t.strictSame([...withoutCircles(Int32Array.of(1, 2, 3, 1, 3))], [1, -1, -1, -1, 3])
    fc.assert(
      fc.property(graphs, ({ canonicals }) => {
        const kept = withoutCircles(Int32Array.from(canonicals))
        for (const start of kept.keys()) {
          let hops = 0
          for (let at = start; (kept[at] as number) >= 0; at = kept[at] as number)
            if (++hops > kept.length) return false
        }
        return true
      }),
    )
  })

  t.test('has the components and unreachable pages of another algorithm', async t => {
    fc.assert(
      fc.property(graphs, fc.integer({ min: -1, max: 3 }), ({ pages, links, canonicals }, wanted) => {
        const start = wanted < pages ? wanted : -1
        const kept = withoutCircles(Int32Array.from(canonicals))
        const log = logOf(pages, links)
        const edges = edgesOf(links, [...kept])
        const all = Array.from({ length: pages }, (_, page) => page)
        t.equal(componentsOf(log, kept), partsOf(all, edges).length)
        const reached = reachedFrom([start], log, kept)
        const walked = start < 0 ? new Set<number>() : walk([start], edges)
        t.strictSame(
          all.filter(page => reached[page] === 1),
          all.filter(page => walked.has(page)),
        )
        const left = all.filter(page => !walked.has(page))
        const clusters = orphanClusters(reached, log, kept)
        const known = partsOf(left, edges).sort(
          (a, b) => b.length - a.length || (a[0] as number) - (b[0] as number),
        )
        t.strictSame(clusters, known)
      }),
      { numRuns: sized(70, 200) },
    )
  })

  t.test('has the donors, recipients, texts and clusters that were planted', async t => {
    // 0 is home; 1 to 5 are linked in a row; 6, 7 and 8, 9, 10 stand apart; 11 is alone.
    const links: Link[] = [
      ...[1, 2, 3, 4, 5].map(to => ({ from: 0, to, anchor: to })),
      ...[1, 2, 3, 4].map(from => ({ from, to: from + 1, anchor: 7 })),
      ...[1, 2, 3, 4, 5].map(from => ({ from, to: 0, anchor: from < 4 ? 8 : 9 })),
      { from: 5, to: 0, anchor: 9 },
      { from: 5, to: 5, anchor: 9 },
      { from: 6, to: 7 },
      { from: 8, to: 9 },
      { from: 10, to: 9 },
      { from: 11, to: 0, nofollow: true },
    ]
    const log = logOf(12, links)
    const canonicals = new Int32Array(12).fill(-1)
    const ranked = rankedLinksOf({ links: log, canonicals, start: 0 }, 4)
    t.match(ranked, {
      donors: [
        [0, 5],
        [1, 2],
        [2, 2],
        [3, 2],
      ],
      recipients: [
        [0, 5],
        [2, 2],
        [3, 2],
        [4, 2],
      ],
      clusters: [
        [3, [8, 9, 10]],
        [2, [6, 7]],
        [1, [11]],
      ],
      edges: 17,
      components: 4,
      orphanClusters: 3,
      orphanPages: 6,
      converged: true,
    })
    t.equal(ranked.pagerank.length, 4)
    t.equal(ranked.pagerank[0]?.[0], 0)
    t.strictSame(anchorCountsOf(log, [0, 2, 7], 2), [
      [
        { anchor: 8, count: 3 },
        { anchor: 9, count: 3 },
      ],
      [
        { anchor: 2, count: 1 },
        { anchor: 7, count: 1 },
      ],
      [{ anchor: unknownText, count: 1 }].slice(1),
    ])
    t.strictSame(rankedLinksOf({ links: log, canonicals, start: 0 }, 1).clusters, [[3, [8, 9, 10]]])
    const forwarded = rankedLinksOf({ links: log, canonicals, start: 0, forwards: [6, 8] }, 4)
    t.strictSame(
      forwarded.clusters,
      [
        [1, [10]],
        [1, [11]],
      ],
      'a start reaches where it forwards',
    )
    t.equal(forwarded.components, 4)
    t.equal(
      rankedLinksOf({ links: log, canonicals, start: -1 }, 9).orphanPages,
      12,
      'without a start no page is reachable',
    )
  })

  t.test('has the first pages of each of many clusters', async t => {
    const pages = 3_000
    const links = Array.from({ length: pages / 3 }, (_, n) => [
      { from: 3 * n, to: 3 * n + 1 },
      { from: 3 * n, to: 3 * n + 2 },
    ])
    const graph = { links: logOf(pages, links.flat()), canonicals: new Int32Array(pages).fill(-1), start: -1 }
    const { clusters, orphanClusters } = rankedLinksOf(graph, 1_000)
    t.strictSame([clusters.length, orphanClusters], [1_000, 1_000])
    t.ok(clusters.every(([size, pages]) => size === 3 && pages.length === 2))
    const ring = Array.from({ length: 300 }, (_, from) => ({ from, to: (from + 1) % 300 }))
    const one = { links: logOf(300, ring), canonicals: new Int32Array(300).fill(-1), start: -1 }
    t.strictSame(
      rankedLinksOf(one, 5).clusters.map(([size, pages]) => [size, pages.length]),
      [[300, 100]],
    )
  })

  t.test('sorts by rank, and equal ranks by position', async t => {
    t.strictSame(highest([0, 3, 1, 3, 0, 2], 3), [
      [1, 3],
      [3, 3],
      [5, 2],
    ])
    t.strictSame(highest([0, 0], 3), [])
  })

  t.test('keeps a maximum number of links, and reports further ones', async t => {
    const links = Array.from({ length: 20 }, (_, n) => ({ from: n, to: (n + 1) % 20 }))
    const log = logOf(20, links, 12)
    t.match(log, { length: 12, edges: 12, isCut: true })
    t.notOk(logOf(20, links, 20).isCut)
    const chunks = logOf(
      2,
      Array.from({ length: 600_000 }, (_, anchor) => ({ from: 0, to: 1, anchor })),
    )
    t.match(chunks, { length: 600_000, edges: 1 })
    let last = -1
    chunks.forEachLink((_, __, anchor) => {
      if (anchor === last + 1) last = anchor
    })
    t.equal(last, 599_999, 'in their order, over all chunks')
  })

  t.test('finds each of many names, and no others', async t => {
    const table = new KeyTable(1, secret)
    const name = (n: number) => [n % 50, Math.imul(n, 2654435761) >>> 0] as const
    for (let n = -1; n < 20_000; n++) table.set(...name(n + 1), n)
    t.equal(table.size, 20_001)
    for (let n = -1; n < 20_000; n++) if (table.get(...name(n + 1)) !== n) t.fail(`${n} is lost`)
    t.equal(table.get(51, 7), undefined)
    table.set(...name(5), 77)
    t.strictSame([table.get(...name(5)), table.size], [77, 20_001])

    const names = new AnchorNames(secret)
    for (let n = 0; n < 5_000; n++) names.record(n * 3, n, n % 9)
    t.equal(names.record(3, 1, 8), 1)
    t.strictSame([names.pageOf(1), names.numberOf({ low: 3, high: 1 })], [1, 1])
    t.equal(names.numberOf({ low: 3, high: 2 }), undefined)
  })

  t.test('finds names with colliding hashes as fast', async t => {
    type Named = (n: number) => [low: number, high: number]
    const timeOf = (name: Named) => {
      const table = new KeyTable(1, secret)
      const at = performance.now()
      for (let n = 0; n < 2 ** 16; n++) table.set(...name(n), n)
      return performance.now() - at
    }
    const usual = Math.max(...[1, 2, 3].map(salt => timeOf(n => [Math.imul(n, 2654435761), n ^ salt])))
    const crafted: Record<string, Named> = {
      'one lower half': n => [7, n],
      'one lower half, and high bits': n => [7, n << 16],
      'one upper half, and high bits': n => [n << 16, 7],
      'equal halves': n => [n << 16, n << 16],
      'opposite halves': n => [n << 16, -n << 16],
      'the highest bits of both halves': n => [n << 24, (n >> 8) << 24],
      'low bits of the upper half, high ones of the lower': n => [n << 24, n >> 8],
    }
    for (const [says, name] of Object.entries(crafted)) {
      const ms = timeOf(name)
      t.ok(ms < 20 * usual + 20, `${says}: ${ms.toFixed()} ms, and usual ones ${usual.toFixed()}`)
    }
  })

  t.test('returns texts in order, up to the maximum size', async t => {
    const texts = new Map([
      [1, 'b'],
      [2, 'a'],
      [3, 'é"'],
      [4, null],
    ])
    const of = (anchor: number, count: number) => ({ anchor, count })
    const targets = [[of(1, 1), of(2, 1), of(3, 2), of(4, 9)], [], [of(1, 5), of(2, 4)], [of(2, 1)]]
    const [first, third] = [
      [
        ['é"', 2],
        ['a', 1],
        ['b', 1],
      ],
      [
        ['b', 5],
        ['a', 4],
      ],
    ] as const
    t.strictSame(anchorTexts(targets, texts), { anchors: [first, [], third, [['a', 1]]], isCut: false })
    t.strictSame(anchorTexts(targets, texts, 21).isCut, false, 'as bytes of JSON')
    t.strictSame(anchorTexts(targets, texts, 17), { anchors: [first, [], [['b', 5]], []], isCut: true })
    t.strictSame(anchorTexts(targets, texts, 5), { anchors: [[], [], [], []], isCut: true })
  })
})

/** Any secret works here; production draws it at random. */
const secret = [0x5bd1e995, 0x27d4eb2f, 0x165667b1]

function logOf(pages: number, links: readonly Link[], maxLinks?: number): LinkLog {
  const log = new LinkLog(pages, maxLinks)
  for (let from = 0; from < pages; from++) {
    log.begin(from)
    for (const link of links) {
      if (link.from !== from) continue
      if (link.nofollow) log.disown(link.to)
      else log.add(link.to, link.anchor ?? unknownText)
    }
    log.end()
  }
  return log
}

/** Multiplies the matrix of the definition until it converges. */
function denseRanks(pages: number, links: readonly Link[], canonicals: readonly number[]): number[] {
  const all = Array.from({ length: pages }, (_, page) => page)
  const matrix = all.map(from => {
    const canonical = canonicals[from] as number
    if (canonical >= 0) return all.map(to => Number(to === canonical))
    const own = links.filter(link => link.from === from && link.to !== from)
    const linked = new Set(own.map(({ to }) => to))
    const followed = new Set(own.filter(({ nofollow }) => !nofollow).map(({ to }) => to))
    if (linked.size === 0) return all.map(() => 1 / pages)
    const nobodys = (linked.size - followed.size) / linked.size
    return all.map(to => (followed.has(to) ? 1 / linked.size : 0) + nobodys / pages)
  })
  let ranks = all.map(() => 1 / pages)
  for (let n = 0; n < 400; n++)
    ranks = all.map(
      to =>
        0.15 / pages +
        0.85 * all.reduce((sum, from) => sum + (ranks[from] as number) * (matrix[from]?.[to] as number), 0),
    )
  return ranks
}

type Edge = [from: number, to: number]

function edgesOf(links: readonly Link[], canonicals: readonly number[]): Edge[] {
  const followed = links.flatMap(({ from, to, nofollow }): Edge[] => (nofollow ? [] : [[from, to]]))
  return [...followed, ...canonicals.flatMap((to, from): Edge[] => (to >= 0 ? [[from, to]] : []))]
}

function walk(from: number[], edges: readonly Edge[]): Set<number> {
  const met = new Set(from)
  for (let before = -1; before !== met.size; ) {
    before = met.size
    for (const [a, b] of edges) if (met.has(a)) met.add(b)
  }
  return met
}

/** Sorts each, and all by their first elements. */
function partsOf(pages: readonly number[], edges: readonly Edge[]): number[][] {
  const inside = edges.filter(([a, b]) => pages.includes(a) && pages.includes(b))
  const both = [...inside, ...inside.map(([a, b]): Edge => [b, a])]
  const left = new Set(pages)
  const parts: number[][] = []
  for (const page of pages) {
    if (!left.has(page)) continue
    const part = [...walk([page], both)].sort((a, b) => a - b)
    for (const one of part) left.delete(one)
    parts.push(part)
  }
  return parts
}

function near(t: Test, found: number, known: number, within: number, says?: string): void {
  if (Math.abs(found - known) > within) t.fail(`${says ?? 'a number'}: ${found} is not ${known}`)
}
