/** robots.txt by RFC 9309: examples from its text, and its general rules. */

import { deepStrictEqual as deepEqual } from 'node:assert'
import { codePoint } from '@tidemark/testing/code-point'
import { documents } from '@tidemark/testing/documents'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { bounded } from './bounded.ts'
import type { RobotsGroup, RobotsRule } from './file.ts'
import { groupFor } from './group.ts'
import { judgePath } from './judge.ts'
import { octetsOf } from './octets.ts'
import { parseRobots } from './parse.ts'
import { matching, rfcExamples, simpleExample } from './robots.vectors.ts'
import { fallbacksOf, indexFrom } from './search.ts'

const groupOf = (body: string, token = 'ExampleBot') => groupFor(parseRobots(body), token)
const judge = (body: string, path: string) => judgePath(groupOf(`User-agent: *\n${body}`), path)
const group = (rules: RobotsRule[]): RobotsGroup => ({ rules, crawlDelay: null })

test('A robots.txt', async t => {
  for (const [agent, path, allowed] of rfcExamples) {
    t.equal(
      judgePath(groupOf(simpleExample, agent), path).allowed,
      allowed,
      `${agent} ${allowed ? 'may' : 'may not'} visit ${path}`,
    )
  }
  const longest = 'Allow: /example/page/\nDisallow: /example/page/disallowed.gif'
  t.same(
    judge(longest, '/example/page/disallowed.gif'),
    { allowed: false, rule: '/example/page/disallowed.gif' },
    'is decided by the longest match',
  )
  t.same(
    judge(longest, '/example/page/x'),
    { allowed: true, rule: '/example/page/' },
    'returns the deciding rule',
  )
  t.same(judge(longest, '/'), { allowed: true, rule: null }, 'allows addresses that no rule matches')
  t.equal(judge('Disallow: /p\nAllow: /p', '/p').allowed, true, 'allows when equal rules disagree')
  t.equal(judge('Disallow: /%61\nAllow: /a', '/a').allowed, true, 'also when they are spelled differently')
  t.equal(judge('Disallow: /*a\nAllow: /ab', '/ab').allowed, true, 'also when one has a wildcard')
  t.equal(judge('Allow: /$\nDisallow: /', '/').allowed, true, 'can allow the front page alone')
  t.equal(judge('Disallow: /\nAllow: /*.css', '/a/b.css').allowed, true, 'counts a wildcard as one octet')
  for (const [pattern, path, expected] of matching) {
    t.equal(
      !judge(`Disallow: ${pattern}`, path).allowed,
      expected,
      `${pattern || '(nothing)'} ${expected ? 'matches' : 'leaves'} ${path}`,
    )
  }
})

test('The lines of a robots.txt', async t => {
  const read = (body: string) =>
    groupOf(body).rules.map(({ allow, pattern }) => (allow ? '+' : '-') + pattern)
  t.same(
    read('\ufeffuser-AGENT : ExampleBot # us\r\n  dISALLOW:/a#x\r\rAllow\t:\t/b \n'),
    ['-/a', '+/b'],
    'may be spelled and ended in any way',
  )
  t.same(
    read('User-agent ExampleBot\nDisallow /a\nDisallow /b c\nDisallow\nnonsense'),
    ['-/a'],
    'may lack the colon when two words are left',
  )
  t.same(
    read('Useragent: examplebot\nDissallow: /a\nDisalow: /b'),
    ['-/a', '-/b'],
    'may have misspellings that other crawlers accept',
  )
  t.same(read('Disallow: /early\nUser-agent: *\nDisallow: /a'), ['-/a'], 'count only after a name')
  t.same(
    read(
      'User-agent: ExampleBot\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: EXAMPLEBOT\nDisallow: /c',
    ),
    ['-/a', '-/c'],
    'of one name are merged',
  )
  t.same(
    read('User-agent: ExampleBot\nSitemap: http://h/s\nUnknown: x\n\nUser-agent: x\nDisallow: /a'),
    ['-/a'],
    'may stand between names',
  )
  t.same(
    read('User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot\nDisallow:'),
    ['-'],
    'may leave a name without rules',
  )
  t.same(read('User-agent: *\nDisallow: /\nUser-agent: ExampleBot'), [], 'may end with a name')
  t.same(read('User-agent: *bot\nDisallow: /a'), [], 'have no wildcards in names')
  t.same(
    read('User-agent: ExampleBot-News\nDisallow: /a'),
    [],
    'do not apply to names that only start with the same token',
  )
  t.same(read(''), [], 'may be absent')

  const body =
    'User-agent: *\nDisallow: /a\nSitemap: http://h/1.xml\nsite-map: http://h/2.xml\nSitemap: http://h/1.xml\nSitemap:'
  t.same(parseRobots(body).sitemaps, ['http://h/1.xml', 'http://h/2.xml'], 'name each sitemap once')
  const file = parseRobots(simpleExample)
  t.same(JSON.parse(JSON.stringify(file)), file, 'become plain data')
  t.same(
    groupFor(parseRobots('User-agent: __proto__\nDisallow: /'), 'x').rules,
    [],
    'cannot change prototypes',
  )

  const long = `User-agent: *\n${'Disallow: /x\n'.repeat(39383)}Disallow: /private\nDisallow: /late\n`
  t.equal(groupOf(long).rules.length, 39383, 'are read up to 500 KiB, and incomplete ones are ignored')
})

test('A crawl delay', async t => {
  const delay = (body: string, token?: string) => groupOf(body, token).crawlDelay
  t.equal(delay('User-agent: *\nCrawl-delay: 1.5'), 1.5, 'is in seconds')
  t.equal(
    delay('User-agent: *\nCrawl-delay: .5\nCrawl-delay: 2\nDisallow: /'),
    2,
    'is the longest of several',
  )
  t.equal(delay('User-agent: *\nCrawl-delay: 99999999'), 86_400, 'is at most one day')
  for (const odd of ['soon', '-1', '1e9', 'Infinity', ''])
    t.equal(delay(`User-agent: *\nCrawl-delay: ${odd}`), null, `is absent if "${odd}"`)
  t.equal(
    delay('User-agent: *\nCrawl-delay: 5\nDisallow:\nUser-agent: ExampleBot\nDisallow: /a'),
    null,
    'is not inherited',
  )
  const shared = 'User-agent: OtherBot\nCrawl-delay: 10\n\nUser-agent: *\nDisallow: /private'
  t.equal(delay(shared), null, 'does not apply to names after it')
  t.same(
    groupOf(shared, 'otherbot'),
    { rules: [{ allow: false, pattern: '/private' }], crawlDelay: 10, agent: 'otherbot' },
    'does not end a group',
  )
})

/** Reference implementation by exhaustive search: the longest match wins, and a rule that allows wins ties. */
function slowly(rules: RobotsRule[], path: string): boolean {
  const weight = (rule: RobotsRule) => octetsOf(rule.pattern).length * 2 + Number(rule.allow)
  const matching = rules.filter(({ pattern }) => pattern !== '' && matchesSlowly(pattern, path))
  return matching.sort((a, b) => weight(b) - weight(a))[0]?.allow ?? true
}

function matchesSlowly(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$')
  const parts = (anchored ? pattern.slice(0, -1) : pattern)
    .split('*')
    .map(part => part.replace(/[.?$]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}${anchored ? '$' : ''}`).test(path)
}

const pattern = fc
  .array(fc.constantFrom('/', 'a', 'b', '*', '$', '.', '?', 'ab'), { maxLength: 6 })
  .map(parts => parts.join(''))
const rule = fc.record({
  allow: fc.boolean(),
  pattern: fc.oneof(
    pattern,
    pattern.map(text => `/${text}`),
  ),
})
const path = fc
  .array(fc.constantFrom('/', 'a', 'b', '.', '?', 'ab'), { maxLength: 8 })
  .map(parts => `/${parts.join('')}`)
const rules = fc.array(rule, { maxLength: 12 })

test('The laws of robots.txt', async t => {
  const longest = fc.property(
    rules,
    path,
    (some, where) => judgePath(group(some), where).allowed === slowly(some, where),
  )
  t.doesNotThrow(
    () => fc.assert(longest, { numRuns: sized(350, 3000) }),
    'the longest match decides, and allowing wins ties',
  )

  const wildRule = fc.record({ allow: fc.boolean(), pattern: pattern.map(text => `/*${text}`) })
  const escaped = fc.array(fc.constantFrom('/', 'a', 'b', '?', 'ab', 'abab', '%3A', ':', '%2F'), {
    maxLength: 8,
  })
  const manyOf = fc.array(wildRule, { minLength: 50, maxLength: 80, size: 'max' })
  const indexed = fc.property(manyOf, escaped, (some, parts) => {
    const where = `/${parts.join('')}`
    const oneByOne = some.filter(one => judgePath(group([{ ...one, allow: false }]), where).allowed === false)
    const weight = (one: RobotsRule) => octetsOf(one.pattern).length * 2 + Number(one.allow)
    const first = oneByOne.sort((a, b) => weight(b) - weight(a))[0]
    return judgePath(group(some), where).allowed === (first?.allow ?? true)
  })
  t.doesNotThrow(
    () => fc.assert(indexed, { numRuns: 100 }),
    'the index gives the same judgements as a linear search',
  )

  const kept = fc.property(rules, rules, path, (some, more, where) => {
    const all = group([
      ...some,
      ...more,
      ...some,
      { allow: true, pattern: '' },
      { allow: false, pattern: 'a' },
    ])
    return judgePath(bounded(all), where).allowed === judgePath(all, where).allowed
  })
  t.doesNotThrow(() => fc.assert(kept, { numRuns: 300 }), 'a bounded group gives the same judgements')

  const shuffled = rules.chain(some =>
    fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })),
  )
  const orderFree = fc.property(
    shuffled,
    path,
    ([some, other], where) =>
      judgePath(group(some), where).allowed === judgePath(group(other), where).allowed,
  )
  t.doesNotThrow(() => fc.assert(orderFree), 'the order of rules does not matter')

  const word = fc.oneof(
    fc.constantFrom(
      'User-agent',
      'Disallow',
      'Allow',
      'Crawl-delay',
      'Sitemap',
      ':',
      ' ',
      '*',
      '/',
      '\n',
      '\r\n',
      '#',
      '%',
      '$',
      '\ud800',
      '\0',
    ),
    fc.string({ unit: codePoint }),
  )
  const bodies = fc.array(word, { maxLength: 60 }).map(words => words.join(''))
  const total = fc.property(
    bodies,
    fc.string({ unit: codePoint }),
    fc.string({ unit: codePoint }),
    (body, token, where) => {
      const file = parseRobots(body)
      deepEqual(JSON.parse(JSON.stringify(file)), file)
      return typeof judgePath(groupFor(file, token), where).allowed === 'boolean'
    },
  )
  t.doesNotThrow(() => fc.assert(total, { numRuns: documents(100) }), 'nothing throws')

  const unary = fc
    .tuple(fc.nat(60), fc.nat(60), fc.nat(60))
    .map(([a, b, c]) => `${'a'.repeat(a)}${'b'.repeat(b % 2)}${'a'.repeat(c)}`)
  const search = fc.property(
    unary,
    unary,
    fc.nat(5),
    (text, part, from) =>
      indexFrom(text, part, from, fallbacksOf(part)) === text.indexOf(part, from) || from > text.length,
  )
  t.doesNotThrow(
    () => fc.assert(search, { numRuns: sized(250, 2000) }),
    'the linear-time search agrees with the native search',
  )
})

test('A hostile robots.txt takes linear time', async t => {
  const hostile = [
    `Disallow: /${'*a'.repeat(200_000)}b`,
    `Disallow: /${'a*'.repeat(2000)}b$\n`.repeat(120),
    `Disallow: /*${'a'.repeat(2000)}b${'a'.repeat(2000)}\n`.repeat(120),
    'Disallow: *b\n'.repeat(36_000),
    'Allow:/abc*\n'.repeat(42_000),
    Array.from({ length: 900 }, (_, at) => `Disallow: /${'a'.repeat(at)}`).join('\n'),
    `${'User-agent: ExampleBot\n'.repeat(11_000)}${'Crawl-delay: 5\n'.repeat(16_000)}`,
    `${' '.repeat(250_000)}:${' '.repeat(250_000)}`,
  ]
  const where = `/${'a'.repeat(8000)}`
  for (const lines of hostile) {
    const started = process.cpuUsage()
    const rules = groupOf(`User-agent: ExampleBot\n${lines}`)
    for (let times = 0; times < 5; times++) judgePath(rules, where)
    const { user, system } = process.cpuUsage(started)
    t.ok(user + system < 2_000_000, `${lines.slice(0, 24)}…`)
  }
})

test('Every address is judged quickly, even with hostile rules and addresses', async t => {
  let odd = 1
  const letters = (length: number) =>
    Array.from({ length }, () => {
      odd = (Math.imul(odd, 1_664_525) + 1_013_904_223) >>> 0
      return odd > 0x7fffffff ? 'a' : 'b'
    }).join('')
  const times = <T>(count: number, make: (n: number) => T): T[] =>
    Array.from({ length: count }, (_, n) => make(n))
  const hostile: Record<string, string[]> = {
    'long texts': times(1000, () => letters(380)),
    'many texts': times(1000, () => times(20, () => letters(17)).join('*')),
    'short texts': times(1000, n => `${times(99, () => letters(3)).join('*')}*${'cdef'[n % 4]}`),
    'letters alone': times(1000, n => `${times(190, () => letters(1)).join('*')}*${'cdef'[n % 4]}`),
    repetitions: times(1000, n => `${'a'.repeat(180 + (n % 200))}b${'a'.repeat(10 + (n % 7))}`),
  }
  for (const [name, patterns] of Object.entries(hostile)) {
    const rules = bounded(group(patterns.map(pattern => ({ allow: false, pattern: `/*${pattern}` }))))
    const paths = times(20, n => (n % 2 === 0 ? `/${letters(2047)}` : `/${'a'.repeat(2000 + n)}`))
    judgePath(rules, '/')
    const began = process.cpuUsage()
    for (const where of paths) judgePath(rules, where)
    const ms = process.cpuUsage(began).user / 1000 / paths.length
    t.ok(ms < 5, `${name}: ${ms.toFixed(1)} ms`)
  }
  const costly = bounded(group(times(1000, () => ({ allow: true, pattern: `/*${letters(380)}` }))))
  const refused = judgePath(costly, `/${letters(2047)}`)
  t.match(
    refused,
    { allowed: false, rule: /wildcards/ },
    'addresses that cannot be judged in time are disallowed',
  )
  t.strictSame(judgePath(costly, `/${letters(40)}`), { allowed: true, rule: null })
})

test('Excessive rules', async t => {
  const lines = (line: (n: number) => string) =>
    bounded(groupOf(`User-agent: *\n${Array.from({ length: 34_873 }, (_, n) => line(n)).join('\n')}`))
  t.same(lines(() => 'Allow:').rules, [], 'without a pattern are dropped')
  t.same(lines(() => 'Disallow: never').rules, [], 'with patterns that match no path are dropped')
  t.equal(lines(n => `Disallow: /${n % 9}`).rules.length, 9, 'are deduplicated')
  t.equal(lines(n => `Disallow: /${n}`).rules.length, 10_000, 'are kept up to the limit')
  const wild = lines(n => `Allow: /*b${n}`)
  t.equal(wild.rules.length, 1000, 'with wildcards have a lower limit')
  t.same(
    lines(n => (n < 30_000 ? `Allow: /${n}` : 'Disallow: /private')).rules[0],
    { allow: false, pattern: '/private' },
    'that disallow are kept first',
  )
  t.equal(lines(n => `Disallow: /shop/${n}`).crawlDelay, null)
  const usual = groupOf(simpleExample, 'ExampleBot')
  t.same(bounded(usual), usual, 'of usual size are unchanged')

  const started = process.cpuUsage()
  for (let n = 0; n < 10_000; n++) judgePath(wild, `/section/a-page-${n}/of-a-shop?sort=b`)
  t.ok(process.cpuUsage(started).user < 5_000_000, 'take little time, even for many links')
})
