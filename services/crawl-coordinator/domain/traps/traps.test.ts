/** Which URLs count as traps: none of an honest site, and every endless one after a bounded number of pages. */

import { hash } from 'node:crypto'
import { TrapRule } from '@tidemark/contracts/run'
import { webUrl } from '@tidemark/testing/any-url'
import { codePoint } from '@tidemark/testing/code-point'
import { sized } from '@tidemark/testing/tier'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import fc from 'fast-check'
import { test } from 'tap'
import { Fingerprints } from './fingerprints.ts'
import { honest } from './honest.sites.ts'
import { createTrapMemory } from './memory.ts'
import { type Site, token, traps } from './trapping.sites.ts'
import { judgeTrap, judgeWaiting, noteAdmitted, noteSettled, type Trapped } from './traps.ts'

const home = 'https://example.com'
const now = Date.UTC(2026, 10, 21)
const sha = (text: string): string => hash('sha256', text)

type Crawl = {
  pages: number
  trapped: (Trapped & { url: string })[]
  memory: ReturnType<typeof createTrapMemory>
}

/** Crawls a site breadth first like a run, and reads texts and links like the extractor. */
function crawl(site: Site, { max = 20_000, likeness = true, off = new Set<TrapRule>() } = {}): Crawl {
  const memory = createTrapMemory()
  const seed = { key: urlKey(`${home}/`), url: `${home}/`, from: null as string | null, depth: 0 }
  const queue = [seed]
  const known = new Set([seed.key])
  const trapped: Crawl['trapped'] = []
  noteAdmitted(memory, seed)
  let pages = 0
  for (const found of queue) {
    if (pages === max) break
    const late = found === seed ? null : judgeWaiting(memory, found.url, off)
    if (late) {
      trapped.push({ ...late, url: found.url })
      continue
    }
    pages++
    const { text, hrefs } = site.page(new URL(found.url))
    noteSettled(memory, {
      url: found.url,
      contentHash: sha(text + hrefs.join(' ')),
      ...(likeness && { likeness: sha(withoutNumbersOf(found.url, text)) }),
    })
    for (const href of found.depth === 50 ? [] : hrefs) {
      const url = normalForm(href, found.url)
      if (url === null || known.has(urlKey(url))) continue
      const next = { key: urlKey(url), url, from: found.key, depth: found.depth + 1 }
      known.add(next.key)
      const verdict = judgeTrap(memory, url, { depth: next.depth, now, off })
      if (verdict) trapped.push({ ...verdict, url })
      else {
        noteAdmitted(memory, next)
        queue.push(next)
      }
    }
  }
  return { pages, trapped, memory }
}

const withoutNumbersOf = (url: string, text: string): string => {
  const numbers = new Set((url.match(/\d+/g) ?? []).map(Number))
  return text.replace(/\d+/g, number => (numbers.has(Number(number)) ? '#' : number))
}

test('An honest site', async t => {
  for (const site of honest) {
    const { pages, trapped } = crawl(site)
    t.ok(pages > 5, `is crawled: ${site.name}, ${pages}`)
    t.same(trapped.slice(0, 3), [], `loses none of them: ${site.name}`)
  }
})

test('A trap', async t => {
  const seen = new Set<TrapRule>()
  for (const trap of traps) {
    const { pages, trapped } = crawl(trap, { max: 3000 })
    for (const { rule } of trapped) seen.add(rule)
    t.ok(pages <= trap.maxPages, `is left after ${pages} pages: ${trap.name}; ${trapped[0]?.because}`)
  }
  t.equal(seen.size, TrapRule.anyOf.length, `every rule has its trap: ${[...seen]}`)
})

test('Content that is the same', async t => {
  const missing: Site = {
    name: 'one page for every address',
    page: ({ pathname }) => ({
      text: 'Not here.',
      hrefs: pathname === '/' ? Array.from({ length: 200 }, (_, at) => `/${at}/x`) : ['/'],
    }),
  }
  const memory = createTrapMemory()
  const admit = (url: string) => noteAdmitted(memory, { key: urlKey(url), url, from: null })
  const judge = (url: string) => judgeTrap(memory, url, { depth: 1, now })?.rule ?? null
  for (let at = 0; at < 60; at++) {
    admit(`${home}/news/${at}`)
    t.equal(judgeWaiting(memory, `${home}/news/99`), null, `is accepted after ${at} pages`)
    noteSettled(memory, { url: `${home}/news/${at}`, contentHash: sha(missing.page(new URL(home)).text) })
  }
  for (let at = 0; at < 7; at++) {
    const url = `${home}/news/title-${token(`${at}`, 5)}`
    noteSettled(memory, { url, contentHash: sha(url) })
  }
  t.equal(judge(`${home}/news/99`), 'equal_content', 'ends its kind')
  t.equal(judgeWaiting(memory, `${home}/news/98`)?.rule, 'equal_content', 'also for waiting pages')
  t.equal(judgeWaiting(memory, `${home}/news/98`, new Set(['equal_content'])), null, 'unless the rule is off')
  t.equal(judge(`${home}/news/a-title`), null, 'but no other kind')
  t.equal(judge(`${home}/shop/99`), null, 'nor another branch')
  for (let at = 0; at < 7; at++) {
    t.equal(judge(`${home}/news/99`), 'equal_content', `which ${at} other pages do not continue`)
    noteSettled(memory, { url: `${home}/news/${100 + at}`, contentHash: sha(`news ${at}`) })
  }
  t.equal(judge(`${home}/news/99`), null, 'and the kind continues after new content')
  for (let at = 0; at < 100; at++) {
    const url = `${home}/gallery/${at}`
    admit(url)
    noteSettled(memory, { url, contentHash: sha('Our gallery.'), likeness: sha(`picture ${at}`) })
  }
  t.equal(judge(`${home}/gallery/100`), null, 'a gallery continues: each of its pages has another picture')
})

test('Rules of traps', async t => {
  const memory = createTrapMemory()
  const deep = `${home}/${'a/'.repeat(40)}`
  t.equal(judgeTrap(memory, deep, { depth: 0, now }), null, 'spare the seed')
  t.same(
    judgeTrap(memory, deep, { depth: 1, now }),
    { rule: 'path_depth', because: 'its path has 40 segments, more than 32' },
    'give a reason with numbers',
  )
  const off = new Set<TrapRule>(['path_depth'])
  t.equal(
    judgeTrap(memory, deep, { depth: 1, now, off })?.rule,
    'path_repetition',
    'can be turned off one by one',
  )
  for (const trap of traps.slice(0, 8)) {
    const all = new Set<TrapRule>(TrapRule.anyOf.map(rule => rule.const))
    t.same(crawl(trap, { max: 300, off: all }).trapped, [], `all of them: ${trap.name}`)
  }
  for (const [says, url, rule] of [
    [
      'more than 30 parameters',
      `/x?${Array.from({ length: 31 }, (_, at) => `a${at}=1`).join('&')}`,
      'parameters',
    ],
    ['a parameter eleven times', `/x?${'a=1&'.repeat(11)}`, 'parameters'],
    ['a query without an end', `/x?a=${'b'.repeat(4001)}`, 'parameters'],
    ['a path without an end', `/${'b'.repeat(2001)}`, 'path_depth'],
    ['a pair again and again', '/a/b/a/b/a/b', 'path_repetition'],
    ['a pair again and again in a long path', '/q/w/e/r/t/y/a/b/a/b/a/b', 'path_repetition'],
    ['a number again and again', '/7/7/7/7/7/7/7/7', 'path_repetition'],
    ['a folder all over', '/a/x/a/y/a/z/a/u/a', 'path_repetition'],
    ['a time far ahead', `/day?time=${Date.UTC(2030, 0) / 1000}`, 'calendar'],
    ['a whole date far ahead', '/?m=20300112', 'calendar'],
  ] as const) {
    t.equal(judgeTrap(memory, home + url, { depth: 3, now })?.rule, rule, `hold ${says}`)
  }
})

test('A URL at the limit of a rule is no trap', async t => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`)
  for (const url of [
    `/x?${names(30).join('&')}`,
    `/x?b=1${'&a=1'.repeat(10)}`,
    `/x?a=${'b'.repeat(3_998)}`,
    `/${'b'.repeat(1_999)}`,
    `/${names(32).join('/')}`,
    '/a/b/a/b/c/d',
    '/7/7/7/7/7/7/7',
    '/a/x/a/y/a/z/a/u',
    '/calendar/2028/11',
  ])
    t.equal(judgeTrap(createTrapMemory(), home + url, { depth: 1, now }), null, url.slice(0, 40))
  t.match(judgeTrap(createTrapMemory(), `${home}/calendar/2028/12`, { depth: 1, now }), { rule: 'calendar' })
})

test('The target of a redirect is no copy of its source, which it replaces', async t => {
  const sources = ['https://example.com/p?b=2&a=1', 'https://example.com/a', 'https://example.com/q']
  const targets = [
    'https://example.com/p?a=1&b=2',
    'https://example.com/a;jsessionid=0123456789ABCDEF',
    'https://example.com/q?PHPSESSID=abcdef0123456789',
  ]
  const memory = createTrapMemory()
  for (const url of sources) noteAdmitted(memory, { key: url, url, from: null })
  for (const url of targets) {
    t.ok(judgeTrap(memory, url, { depth: 1, now }), `a link to ${url}`)
    t.equal(judgeTrap(memory, url, { depth: 1, now, hops: 1 }), null, `a redirect to ${url}`)
  }
  const long = `https://example.com/l?next=${'x'.repeat(4_000)}`
  t.match(judgeTrap(memory, long, { depth: 1, now, hops: 1 }), { rule: 'parameters' })
})

test('Queries of known parameters', async t => {
  const memory = createTrapMemory()
  const admit = (url: string) => noteAdmitted(memory, { key: urlKey(url), url, from: null })
  const judge = (url: string) => judgeTrap(memory, url, { depth: 1, now })?.because
  admit(`${home}/a?x=1&y=2`)
  t.equal(
    judge(`${home}/a?y=2&x=1`),
    'its 2 parameters, sorted, equal those of a URL that the run admitted before',
  )
  const values = Array.from({ length: 6 }, (_, n) => n)
  const shop = values.flatMap(a =>
    values.flatMap(b => values.flatMap(c => values.map(d => ({ a, b, c, d })))),
  )
  for (const { a, b, c, d } of shop.slice(0, 240)) admit(`${home}/b?a=${a}&b=${b}&c=${c}&d=${d}`)
  t.equal(
    judge(`${home}/b?a=0&b=1`),
    '240 combinations of a, b are known, and no parameter has more than 6 values',
  )
  t.equal(judge(`${home}/b?a=0&b=99`), undefined, 'a new value is no recombination')
  for (let n = 0; n < 150; n++) {
    t.equal(judge(`${home}/c?a=0&b=0`), undefined, `after ${n} combinations of few values`)
    const [a = 0, b, c, d, e] = n.toString(3).padStart(5, '0')
    admit(`${home}/c?a=${a}&b=${b}&c=${c}&d=${d}&e=${e}`)
  }
  t.ok(judge(`${home}/c?a=0&b=0`))
})

const part = fc.constantFrom(
  ...[
    'a',
    'B',
    'docs',
    '2031',
    '05',
    '12',
    '7',
    'index.php',
    's',
    '(S(lit3py55t21z5v55vlm25s55))',
    'x;jsessionid=12345678',
  ],
  ...['0f8fad5bd9cb469fa16570867728950e', '%C3%A4', '', '.'],
)
const parameter = fc.constantFrom(
  ...[
    'a=1',
    'a=2',
    'b=1',
    'c',
    'page=3',
    'month=2031-05',
    'year=2024',
    'month=5',
    'm=202405',
    'time=9999999999',
  ],
  ...[
    'sid=0f8fad5bd9cb469fa16570867728950e',
    'PHPSESSID=12345678',
    '=',
    'x[]=1',
    'd=99',
    'date=2024-99-99',
    '__proto__=1',
  ],
)
const link = fc
  .tuple(fc.array(part, { maxLength: 9 }), fc.array(parameter, { maxLength: 5 }))
  .map(([parts, parameters]) => normalForm(`${home}/${parts.join('/')}?${parameters.join('&')}`) ?? home)

test('The laws of trap rules', async t => {
  const steps = fc.array(fc.tuple(link, fc.constantFrom('admit', 'settle', 'ask')), { maxLength: 60 })
  const walk = (history: [string, string][], pending: boolean) => {
    const memory = createTrapMemory()
    for (const [url, step] of history) {
      if (step === 'admit') noteAdmitted(memory, { key: urlKey(url), url, from: urlKey(home) })
      if (step === 'settle') noteSettled(memory, { url, contentHash: sha(url), likeness: sha('') })
      if (pending) judgeTrap(memory, url, { depth: 1, now })
    }
    return history.map(([url]) => judgeTrap(memory, url, { depth: 1, now }))
  }
  const same = fc.property(steps, history => {
    t.same(walk(history, true), walk(history, false))
  })
  fc.assert(same, { numRuns: sized(100, 300) })

  const odd = fc.property(
    webUrl({ withQueryParameters: true }),
    fc.string({ unit: codePoint }),
    (url, tail) => {
      const normal = normalForm(url + tail)
      return normal === null || walk([[normal, 'admit']], true).length === 1
    },
  )
  t.doesNotThrow(() => fc.assert(odd, { numRuns: sized(300, 1000) }), 'every URL can be judged')

  const set = fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 400 }), texts => {
    const fingerprints = new Fingerprints(100)
    const known = new Set<string>()
    return texts.every(text => {
      const isNew = !known.has(text) && known.size < 100
      if (isNew) known.add(text)
      return fingerprints.add(text) === isNew && fingerprints.has(text) === known.has(text)
    })
  })
  t.doesNotThrow(() => fc.assert(set, { numRuns: sized(150, 500) }), 'fingerprints are a set with a bound')
})
