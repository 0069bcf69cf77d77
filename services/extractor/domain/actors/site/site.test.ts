/** The audit of stored pages: agreement with the audit of live pages, and the facts that sites are compared by. */
import { reportedHeaders } from '@tidemark/contracts/work/page'
import { numberOfKey, urlKey } from '@tidemark/url/key'
import fc from 'fast-check'
import { test } from 'tap'
import { clean, type Example } from '../audit/audit.examples.ts'
import { auditOf } from '../audit/audit.ts'
import { pairs } from '../audit/audit-pairs.scene.ts'
import { rules } from '../audit/rules.ts'
import { seePage } from '../seen-page.ts'
import { simhashOf } from './simhash.ts'
import { describedRules, storedAuditOf } from './stored-audit.ts'

/** The headers of a page that the store has. */
const storedHeaders: readonly string[] = ['x-robots-tag']

/** Returns the page as it is read live, or as a crawl stored it. */
function seen({ html, encoding, url, status, contentType, headers }: Example, isStored: boolean) {
  const known = Object.entries(headers).filter(([name]) => !isStored || storedHeaders.includes(name))
  return seePage({
    ...{ url, status, contentType },
    headers: Object.fromEntries(known),
    body: Buffer.from(html, encoding),
  })
}

const stored = { elapsedMs: null, inDetail: false }

function storedFindings(page: Example): (readonly [string, number | null])[] {
  const { fetchedAt } = page.context
  const audited = storedAuditOf(seen(page, true), { ...stored, fetchedAt })
  return 'findings' in audited ? audited.findings : []
}

/** Returns the findings of the live page, without rules that need data that no crawl stores. */
function liveFindings(page: Example): (readonly [string, number | null])[] {
  const needing = new Set<string>(rules.flatMap(({ id, needs }) => (needs === undefined ? [] : [id])))
  return auditOf(seen(page, false), page.context)
    .findings.filter(({ rule }) => !needing.has(rule))
    .map(({ rule, count = null }) => [rule, count])
}

const unstored = reportedHeaders.filter(name => !storedHeaders.includes(name))

/** The page of each rule. Pages that say the same by a header that no crawl stores are left out. */
const changed: [id: string, Example][] = Object.entries(pairs)
  .map(([id, { change }]): [string, Example] => [id, change(clean)])
  .filter(([, { headers }]) => !unstored.some(name => name in headers))

test('The audit of a stored page', async t => {
  await t.test('agrees with the audit of the live page, for the page of every rule', async t => {
    const examples = { clean, ...Object.fromEntries(changed) }
    for (const [id, page] of Object.entries(examples))
      t.strictSame(storedFindings(page), liveFindings(page), id)
  })

  await t.test('applies exactly the rules that need no other data', async t => {
    const needs = new Map(describedRules().rules.map(({ id, needs }) => [id, needs]))
    for (const [id, page] of changed) {
      const isFound = storedFindings(page).some(([rule]) => rule === id)
      t.equal(isFound, needs.get(id) === null, id)
    }
    const left = [...needs.keys()].filter(id => !changed.some(([known]) => known === id))
    t.strictSame(left, ['aeo/ai-use-reserved'], 'its example is a header')
  })

  await t.test('knows slow pages if the crawl stored the time', async t => {
    const { fetchedAt } = clean.context
    const timed = (elapsedMs: number) =>
      storedAuditOf(seen(clean, true), { fetchedAt, elapsedMs, inDetail: false })
    t.match(timed(1_800), { findings: { length: 0 }, isTimed: true })
    t.match(timed(1_801), { findings: [['speed/slow-answer', null]], isTimed: true })
  })

  await t.test('has the messages of the live audit in detail', async t => {
    for (const [id, page] of changed) {
      const { fetchedAt } = page.context
      const audited = storedAuditOf(seen(page, true), { ...stored, fetchedAt, inDetail: true })
      const details = 'details' in audited ? audited.details : []
      const live = new Map(auditOf(seen(page, false), page.context).findings.map(f => [f.rule, f]))
      for (const finding of details) t.strictSame(finding, live.get(finding.rule), id)
    }
  })
})

test('The facts of a page', async t => {
  const factsOf = (page: Example) => {
    const audited = storedAuditOf(seen(page, true), { ...stored, fetchedAt: clean.context.fetchedAt })
    if (!('facts' in audited) || audited.facts === null) throw new Error('The page has no facts.')
    return audited.facts
  }
  const of = (head: string, body: string) =>
    factsOf({ ...clean, html: `<!doctype html><head>${head}</head><body>${body}</body>` })
  const numberOf = (url: string) => numberOfKey(urlKey(url))

  await t.test('name canonical and alternates by URL', async t => {
    const facts = factsOf(clean)
    t.equal(facts.canonical, numberOf(clean.url))
    t.strictSame(facts.alternates, [numberOf(clean.url), numberOf('https://harbour.example/de/warum')])
    t.match(facts, { isIndexed: true })
    const [self, german] = [
      '<link rel=canonical type="text/html" href="/">',
      '<link rel=alternate hreflang=de href="/de">',
    ]
    t.match(
      of(self, german),
      { canonical: 0, alternates: { length: 0 } },
      'only those that search engines use',
    )
    t.equal(facts.refresh, undefined)
    const home = of('<meta http-equiv=refresh content="0; url=/en/">', '')
    t.equal(home.refresh, numberOf('https://harbour.example/en/'), 'the page to which it forwards')
    t.match(of('<meta name=robots content=noindex>', ''), { isIndexed: false, canonical: 0, title: 0 })
  })

  await t.test(
    'distinguish titles exactly, and liken them without case, digits, marks and order',
    async t => {
      const titles = ['Tides of 2025', 'tides OF: 2026!', 'of Tides', 'Tides at 2025'].map(title =>
        of(`<title>${title}</title>`, ''),
      )
      t.equal(new Set(titles.map(({ title }) => title)).size, 4)
      const [one, ...others] = titles.map(({ titleLike }) => titleLike)
      t.strictSame(
        others.map(other => other === one),
        [true, true, false],
      )
      t.equal(of('<title>2026</title>', '').titleLike, 0)
    },
  )

  await t.test('leave menus, headers and footers out of the text', async t => {
    const text = 'High water comes twice a day. '.repeat(20)
    const plain = of('', `<p>${text}</p>`)
    for (const body of [
      `<nav>Menu <nav>inner</nav></nav><p>${text}</p><footer>Foot</footer>`,
      `<header>Head</header><p>${text}</p><aside>More</aside>`,
      `<p>Before</p><main>${text}</main><p>After</p>`,
    ])
      t.match(of('', body), { text: plain.text, simhash: plain.simhash }, body.slice(0, 30))
    t.not(of('', `<p>${text}</p><main>Short</main>`).text, plain.text, 'a short main is no content')
    t.not(of('', `<main>${text}</main><main>${text}</main>`).text, plain.text, 'two mains are no content')
  })
})

test('Simhash', async t => {
  const words = fc.array(
    fc.constantFrom(...'tide moon sea shore harbour ebb flood neap spring wave'.split(' ')),
    {
      minLength: 1,
      maxLength: 300,
    },
  )

  await t.test('depends on words only, not on case, white space or marks', async t => {
    fc.assert(
      fc.property(words, words => {
        t.strictSame(simhashOf(words.join(' ')), simhashOf(`\n${words.join(',  ').toUpperCase()}!`))
      }),
    )
    t.strictSame(simhashOf(' ,.! '), [0, 0])
  })

  await t.test('is near for a text with one changed word, and far for another text', async t => {
    const random = (seed: number) => (n: number) => `w${(Math.imul(n + 1, seed * 2 + 1) >>> 7) % 9973}`
    fc.assert(
      fc.property(
        fc.tuple(fc.nat(10_000), fc.nat(10_000), fc.integer({ min: 0, max: 3_999 })),
        ([seed, other, at]) => {
          const text = Array.from({ length: 4_000 }, (_, n) => random(seed)(n))
          const hash = simhashOf(text.join(' '))
          t.ok(distance(hash, simhashOf(text.with(at, 'changed').join(' '))) <= 5)
          const foreign = Array.from({ length: 4_000 }, (_, n) => `x${random(other)(n)}`)
          t.ok(distance(hash, simhashOf(foreign.join(' '))) > 10)
        },
      ),
      // Each bit turns with a small chance, so one text in some thousands turns more than five:
      // the same ten texts in each run.
      { numRuns: 10, seed: 1 },
    )
  })

  await t.test('counts a repeated passage once', async t => {
    const text = Array.from({ length: 500 }, (_, n) => `word${n}`).join(' ')
    const menu = 'home about contact '
    const [once, often] = [simhashOf(`${text} ${menu}`), simhashOf(`${text} ${menu.repeat(400)}`)]
    t.ok(distance(once, often) <= 3)
  })
})

const distance = ([high, low]: [number, number], [otherHigh, otherLow]: [number, number]): number =>
  [high ^ otherHigh, low ^ otherLow].reduce(
    (sum, bits) => sum + (bits >>> 0).toString(2).replaceAll('0', '').length,
    0,
  )
