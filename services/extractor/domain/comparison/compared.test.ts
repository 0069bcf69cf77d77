/** The parts of a page that count by the rules of its crawl, in the comparison hash and in the comparison by lines. */

import type { CompareRules } from '@tidemark/contracts/run-settings'
import { parseTree } from '@tidemark/html/tree/parse-tree'
import { walk } from '@tidemark/html/tree/walk'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { allSteps } from '../../concurrency/in-steps.ts'
import { comparisonOf } from '../../handlers/comparison.ts'
import { factsOf } from '../facts.ts'
import { outcomeOfUnchanged, revisitOf } from '../revisit.ts'
import { changedWords } from './changed-words.ts'
import { comparisonHash, linesByRules, pruneByRules, textPatternsOf } from './compared.ts'

const url = 'https://example.com/'
const rules: CompareRules = {
  ignoreSelectors: ['.clock', 'aside', 'meta[property="og:updated_time"]', 'script'],
  ignoreText: ['\\d+ visitors', 'session=[0-9a-f]+'],
}

type Parts = { clock?: string; advert?: string; visitors?: number; session?: string; more?: string }

const pageOf = ({
  clock = '12:00',
  advert = 'Buy',
  visitors = 1,
  session = 'a1',
  more = 'Milk 2 €',
}: Parts) =>
  `<!doctype html><html lang=en><head><title>Shop</title><meta name=description content="All prices">
  <meta property="og:updated_time" content="${clock}"></head><body>
  <p class=clock>It is <b>${clock}</b><p>${more}</p><p><b>${visitors}</b> visitors are here</p>
  <aside><a href="/ad/${advert}">${advert}</a> <img alt="${advert}" src=x></aside>
  <a href="/login?session=${session}">Log in</a> <a href=/cart>Cart</a>
  <script type="application/ld+json">{"dateModified":"${clock}"}</script></body></html>`

const hashOf = (html: string, by: CompareRules = rules) => allSteps(comparisonHash(html, url, by))
const side = (html: string) => ({
  ...{ url, status: 200, contentType: 'text/html; charset=utf-8', headers: {} },
  body: Buffer.from(html),
})
const linesOf = (before: string, after: string, mode: 'text' | 'markdown', by: CompareRules = rules) =>
  comparisonOf({ mode, old: side(before), new: side(after), rules: by })

test('The comparison of pages by rules', async t => {
  await t.test('does not see what the rules ignore, in the hash and in the lines', async () => {
    const text = fc.stringMatching(/^[a-z<&"' ]{1,20}$/).map(raw => raw.replace(/[<&"]/g, '.'))
    const noise = fc.record({
      clock: text,
      advert: text,
      visitors: fc.nat(),
      session: fc.stringMatching(/^[0-9a-f]{1,8}$/),
    })
    const isQuiet = (parts: Parts) => {
      const [before, after] = [pageOf({}), pageOf(parts)]
      const isSame = (mode: 'text' | 'markdown') => {
        const { added, removed, changed_words } = linesOf(before, after, mode).summary
        return added + removed + changed_words === 0
      }
      return hashOf(before) === hashOf(after) && isSame('text') && isSame('markdown')
    }
    fc.assert(fc.property(noise, isQuiet), { numRuns: sized(70, 200) })
  })

  await t.test('sees every other change, in the hash and in the lines', async t => {
    const before = pageOf({})
    for (const [from, to] of [
      ['Milk 2 €', 'Milk 3 €'],
      ['visitors are here', 'visitors were here'],
      ['Cart', 'Basket'],
      ['Log in', 'Sign in'],
    ] as const) {
      const after = before.replace(from, to)
      t.not(hashOf(after), hashOf(before), to)
      for (const mode of ['text', 'markdown'] as const)
        t.match(linesOf(before, after, mode), { summary: { changed_words: 1 } }, `${to} as ${mode}`)
    }
    for (const [from, to] of [
      ['<title>Shop', '<title>Store'],
      ['href=/cart', 'href=/basket'],
      ['All prices', 'No prices'],
      ['<head>', '<head><meta name=robots content=noindex>'],
      ['<head>', '<head><link rel=canonical href=/other>'],
    ] as const)
      t.not(hashOf(before.replace(from, to)), hashOf(before), `${to}: statements and links count`)
  })

  await t.test('may be limited to some elements, without title and metadata', async t => {
    const only = { onlySelectors: ['p:nth-of-type(2)', 'a[href="/cart"]'] }
    const before = pageOf({})
    t.equal(hashOf(pageOf({ clock: '1', visitors: 7 }).replace('Shop', 'Store'), only), hashOf(before, only))
    t.not(hashOf(pageOf({ more: 'Milk 3 €' }), only), hashOf(before, only))
    t.not(hashOf(before.replace('Cart', 'Basket'), only), hashOf(before, only))
    t.match(linesOf(before, pageOf({ more: 'Bread 3 €' }), 'text', only), {
      summary: { added: 1, removed: 1, same: 1, changed_words: 2 },
    })
    t.not(hashOf(before, { onlySelectors: ['#none'] }), hashOf(before, only), 'a lost element is a change')
    const nested = { onlySelectors: ['body', 'p'], ignoreSelectors: ['.clock', 'aside', 'script'] }
    t.equal(hashOf(pageOf({ clock: '1', advert: 'Sell' }), nested), hashOf(before, nested))
    const based = '<base href="https://other.example/"><p><a href="b">b</a></p>'
    t.not(hashOf(based, { onlySelectors: ['p'] }), hashOf(based.slice(35), { onlySelectors: ['p'] }))
  })

  await t.test('reads any page within bounds', async t => {
    const hostile = { ignoreSelectors: Array(20).fill(':has(:has(~ *) ~ * ~ *) *'), ignoreText: ['(a*)*b'] }
    const from = performance.now()
    t.match(hashOf(`${'<div><p>aaaa'.repeat(5_000)}`, hostile), /^[0-9a-f]{64}$/)
    t.ok(performance.now() - from < 10_000)
    fc.assert(fc.property(fc.string(), html => hashOf(html).length === 64))
  })

  await t.test('removes tens of thousands of siblings in a moment', async t => {
    const names = ['x-a', 'x-b', 'x-c', 'x-d', 'x-e', 'x-f']
    const tree = parseTree(`<p>${names.map(name => `<${name}></${name}>`.repeat(9_000)).join('')}</p>`)
    const began = process.cpuUsage().user
    allSteps(pruneByRules(tree, { ignoreSelectors: names.slice(1, -1) }))
    t.ok(process.cpuUsage().user - began < 2e6)
    const counts = new Map<string, number>()
    walk(tree, { enter: ({ name }) => !!counts.set(name, (counts.get(name) ?? 0) + 1) })
    t.strictSame([counts.get('x-a'), counts.get('x-b'), counts.get('x-f')], [9_000, undefined, 9_000])
  })

  await t.test('searches each line once, and pauses between long ones', async t => {
    const patterns = textPatternsOf({ ignoreText: ['#'] })
    const lines = [...Array.from({ length: 250 }, () => 'x'.repeat(12_000)), '#a']
    const steps = linesByRules(lines, patterns)
    let [pauses, step] = [0, steps.next()]
    for (; !step.done; step = steps.next()) pauses++
    t.equal((step.value as string[]).at(-1), 'a', 'so the budget lasts for the whole page')
    t.ok(pauses >= 120, `${pauses} pauses`)
  })

  await t.test('fetches an unchanged page again if its copy is by other rules', async t => {
    const fetched = { runId: 1, key: 'k', attempt: 1, fetchedAt: '', revisit: {}, robotsHeader: null }
    const copiedBy = (by: CompareRules | undefined, more: object = {}) => {
      const page = { ...fetched, ...(by && { comparison: by }) } as never
      const facts = { ...{ edges: [], beyond: [], challenge: null, likeness: null }, ...more } as never
      const revisit = revisitOf(page, facts, 1)
      const kept = { contentType: null, metadata: {}, edges: [], revisit } as never
      return outcomeOfUnchanged({ ...fetched, scope: {}, comparison: rules } as never, 1, kept)
    }
    t.match(copiedBy(rules, { comparisonHash: 'f' }), { type: 'page', comparisonHash: 'f' })
    const pdf = copiedBy(rules)
    t.match(pdf, { type: 'page' }, 'a page of another type has no hash by any rules')
    t.notOk('comparisonHash' in pdf)
    t.match(copiedBy({ ignoreText: ['x'] }, { comparisonHash: 'f' }), {
      type: 'failed',
      reason: 'stale_copy',
    })
    t.match(copiedBy(undefined), { type: 'failed', reason: 'stale_copy' }, 'and if it is by none')
  })

  await t.test('costs a page without rules nothing, and changes no other hash', async t => {
    const described = {
      ...{ url, scope: { host: 'example.com', subdomains: false }, status: 200 },
      ...{ contentType: 'text/html', robotsHeader: null },
    }
    const factsFor = (more: object) =>
      allSteps(factsOf({ ...described, ...more }, Buffer.from(pageOf({})), 'f'.repeat(64), 'Bot'))
    const { comparisonHash: hash, ...others } = factsFor({ comparison: rules })
    t.equal(hash, hashOf(pageOf({})))
    t.strictSame(factsFor({}), others)
    t.notOk('comparisonHash' in factsFor({}))
    t.notOk('comparisonHash' in factsFor({ comparison: rules, contentType: 'application/pdf' }))
  })
})

test('A space of a pattern matches a space at which no line ends', async t => {
  const visible = (line: string, pattern: string) => {
    const steps = linesByRules([line], textPatternsOf({ ignoreText: [pattern] }))
    let step = steps.next()
    while (!step.done) step = steps.next()
    return step.value
  }
  const visitors = '[0-9]+ visitors online'
  for (const space of [' ', '\u00a0', '\u2007', '\u202f'])
    t.strictSame(visible(`Now${space}12${space}visitors online`, visitors), ['Now'])
  t.strictSame(visible('Price:\u00a012 €', visitors), ['Price:\u00a012 €'], 'other lines keep theirs')
})

test('Changed words', async t => {
  const cases: [before: string, after: string, words: number][] = [
    ['', '', 0],
    ['one two three', 'three one two', 0],
    ['one two three', 'one 2 three', 1],
    ['one two', 'one two three four', 2],
    ['one two three four', 'five', 4],
    ['a - b', 'a b', 0],
    ['価格は百円です', '価格は百円です。新しい商品', 3],
    ['a a a', 'a', 2],
  ]
  for (const [before, after, words] of cases)
    t.equal(changedWords(before, after), words, `${before} → ${after}`)
})
