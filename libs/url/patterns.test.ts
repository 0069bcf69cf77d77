/** Patterns of a client: their syntax, their matches, and protection against slow patterns. */

import { codePoint } from '@tidemark/testing/code-point'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { RE2JS, RE2Set } from 're2js'
import { test } from 'tap'
import { createLiteralIndex } from './literal-index.ts'
import { createPathFilter } from './path-filter.ts'
import { maxPatternLength, maxPatternWeight } from './pattern-limits.ts'
import { requiredLiteral } from './pattern-literals.ts'
import { tokensOf } from './pattern-tokens.ts'
import { weightOf } from './pattern-weight.ts'
import { checkPatterns, compileTokens } from './patterns.ts'

/** Compiles one pattern. The empty pattern matches everything. */
function compilePattern(text: string) {
  const compiled = compileTokens(text, tokensOf(text.slice(0, maxPatternLength)))
  if (!compiled.ok) return compiled
  const steps = { left: Number.POSITIVE_INFINITY }
  const matches = (pathAndQuery: string) => compiled.begin(pathAndQuery).resume(steps) === true
  return { ok: true as const, matches }
}

const finds = (pattern: string, text: string): boolean => {
  const compiled = compilePattern(pattern)
  return compiled.ok && compiled.matches(text)
}
const because = (pattern: string): string => {
  const compiled = compilePattern(pattern)
  return compiled.ok ? 'it is valid' : compiled.because
}

test('A pattern', async t => {
  t.ok(finds('blog', '/a/blogs?x'), 'matches anywhere')
  t.ok(finds('page=\\d+$', '/a?sort=1&page=12'), 'also matches in the query')
  t.notOk(finds('^/blog/', '/en/blog/'), 'may be anchored')
  t.notOk(finds('/Blog', '/blog'), 'minds case')
  t.ok(finds('(?i)/Blog', '/blog'), 'unless a flag says otherwise')
  t.ok(finds('', '/'), 'may be empty, and matches everything')
  t.ok(finds('/bücher/[^/]+', '/b%C3%BCcher/1'), 'finds characters beyond ASCII by their escapes')
  t.ok(finds('^/ü+$', '/%C3%BC%C3%BC'), 'and repeats such a character as a whole')
  t.ok(finds('\\Qa.b?ü\\E$', '/a.b?%C3%BC'), 'may be quoted')
})

test('An invalid pattern', async t => {
  for (const [pattern, words] of [
    ['a(?=b)', 'a lookaround, which cannot be searched in linear time, at character 2'],
    ['(?<!a)b', 'a lookaround, which cannot be searched in linear time, at character 1'],
    ['[(?=](a\\(?=)(?!b)', 'a lookaround, which cannot be searched in linear time, at character 13'],
    ['(a)\\1', 'a backreference, which cannot be searched in linear time, at character 4'],
    ['(?P<n>a)\\k<n>', 'a backreference, which cannot be searched in linear time, at character 9'],
    ['a|(b', 'a group that is not closed, at character 3'],
    ['(a))', 'a closing bracket without its opening one, at character 4'],
    ['/x[ab', 'a character class that is not closed, at character 3'],
    ['a|*b', 'a repetition (*) of nothing, at character 3'],
    ['a**', 'a repetition of a repetition (**); put the inner one into (?:…), at character 2'],
    ['ab\\', 'a backslash that escapes nothing, at character 3'],
    ['a\\qb', 'an escape (\\q) that is not known, at character 2'],
    [
      'x{1001}',
      'a repetition ({1001}) of more than 1000 times, or one with its bounds reversed, at character 2',
    ],
  ] as const) {
    t.equal(because(pattern), `The pattern is not valid: ${words}.`, `says why and where: ${pattern}`)
  }
  t.match(because('[ä-ü]'), /percent-encoded/, 'may have a class that matches no address')
  t.match(because('\\x{1F600}'), /percent-encoded/, 'or a code that is in no address')
  t.match(because('x'.repeat(2001)), /longer than 2000/, 'or be too long')
  t.match(because('(?:a{1000}){1000}'), /too heavy|more than 1000/, 'or be too heavy')
  t.match(because('(?:[ab]?a{40}b){100}'), /too heavy/, 'also where the syntax would allow it')
  t.match(
    because('|a'.repeat(900)),
    /too heavy: (?!its counted)/,
    'and the text names no repetitions if it has none',
  )
  t.match(because('\\pL'.repeat(51)), /Unicode classes/, 'or have too many tables')
})

const part = fc.constantFrom(
  ...[
    'a',
    'b',
    '/blog/',
    '.',
    '\\d',
    '\\.',
    '[a-z]',
    '[]a]',
    '[^:]',
    '(',
    '(?:',
    '(?i)',
    '(?i:',
    '(?P<n>',
    ')',
  ],
  ...[
    ')',
    '|',
    '*',
    '+',
    '?',
    '??',
    '{2}',
    '{3,}',
    '{2,5}',
    '{0}',
    '{200}',
    '{',
    '^',
    '$',
    '\\b',
    '\\pL',
    '\\x41',
  ],
  ...['\\Qa*b\\E', '\\Q', '[[:alpha:]]', '\\', 'ü', '(?=', '\\1'],
)
const pattern = fc.array(part, { maxLength: 9 }).map(parts => parts.join(''))
const text = fc
  .array(fc.constantFrom('a', 'b', 'A', '/blog/', '1', '.', '?', '=', '-', '%C3%BC', ':', '*'), {
    maxLength: 12,
  })
  .map(parts => `/${parts.join('')}`)

test('The laws of patterns', async t => {
  const whole = fc.property(pattern, fc.string({ unit: codePoint }), (written, odd) =>
    [written, odd].every(
      any =>
        tokensOf(any)
          .map(token => token.text)
          .join('') === any,
    ),
  )
  t.doesNotThrow(
    () => fc.assert(whole, { numRuns: sized(200, 2000) }),
    'the tokens of a pattern are the pattern',
  )

  const heavy = fc.property(pattern, written => {
    const weight = weightOf(tokensOf(written))
    if (weight > maxPatternWeight || /[ü]/.test(written)) return true
    try {
      return RE2JS.compile(written).programSize() <= weight
    } catch {
      return true
    }
  })
  t.doesNotThrow(
    () => fc.assert(heavy, { numRuns: sized(400, 4000), examples: [['\\b*^*']] }),
    'no pattern compiles to more states than its weight',
  )

  const literal = fc.property(pattern, text, (written, searched) => {
    if (!finds(written, searched)) return true
    return searched.toLowerCase().includes(requiredLiteral(tokensOf(written)))
  })
  const odd: [string, string][] = [
    ['a(?i){0}', '/'],
    ['\\ü', '/%C3%BC'],
  ]
  t.doesNotThrow(
    () => fc.assert(literal, { numRuns: sized(400, 4000), examples: odd }),
    'the required literal is in all matches',
  )

  const anything = fc.property(
    fc.string({ unit: codePoint, maxLength: 40 }),
    written => because(written) !== '',
  )
  t.doesNotThrow(() => fc.assert(anything, { numRuns: sized(200, 2000) }), 'nothing throws')

  const lists = fc.array(pattern, { maxLength: 8 })
  const judged = fc.property(lists, lists, text, (include, exclude, searched) => {
    const pattern = exclude.find(one => finds(one, searched))
    const kept = include.length === 0 || include.some(one => finds(one, searched))
    const verdict = createPathFilter({ include, exclude }).judge(`http://h:81${searched}`)
    if (pattern !== undefined) return verdict?.by === 'exclude' && verdict.pattern === pattern
    return kept ? verdict === null : verdict?.by === 'include'
  })
  t.doesNotThrow(
    () => fc.assert(judged, { numRuns: sized(200, 1500) }),
    'a filter agrees with its patterns one by one',
  )
})

test('A filter', async t => {
  const filter = createPathFilter({ include: ['^/blog/', '^/docs'], exclude: ['\\.pdf$', '/DRAFT'] })
  t.equal(
    filter.judge('https://example.com/blog/a'),
    null,
    'admits addresses that an include pattern matches',
  )
  t.same(filter.judge('https://example.com/shop'), { by: 'include', pattern: null }, 'excludes all others')
  t.same(
    filter.judge('https://example.com/blog/a.pdf'),
    { by: 'exclude', pattern: '\\.pdf$' },
    'excludes addresses that an exclude pattern matches, regardless of include patterns',
  )
  t.equal(createPathFilter({}).judge('https://blog/'), null, 'without patterns admits everything')
  t.notOk(
    createPathFilter({ exclude: ['example', 'https'] }).judge('https://example.com/'),
    'ignores the host',
  )
  const late = createPathFilter({ exclude: ['late', 'x$'] })
  t.equal(late.judge(`https://h/${'a'.repeat(2044)}late`), null, 'scans 2,048 characters')
  t.match(late.judge(`https://h/${'a'.repeat(2043)}late`), { pattern: 'late' }, 'all of these')
  t.match(
    late.judge(`https://h/${'x'.repeat(5000)}`),
    { pattern: 'x$' },
    'and treats them as the whole address',
  )

  t.equal([...filter.judgeSteps('https://example.com/shop')].length, 0, 'does not pause when it is fast')
})

test('The index of literals', async t => {
  const { candidates } = createLiteralIndex(['ab', 'aaaa', 'draft', 'aaaaa', 'b'])
  t.same(candidates('/docs'), [0, 4], 'always returns short literals')
  t.same(candidates(`/${'a'.repeat(2000)}`), [0, 1, 3, 4], 'returns each literal once, in order')
})

/** Returns the same pseudo-random letters in every run. */
function lettersOf(letters: string, length: number): string {
  let odd = 1
  return Array.from({ length }, () => {
    odd = (Math.imul(odd, 1_664_525) + 1_013_904_223) >>> 0
    return letters[odd % letters.length]
  }).join('')
}

/** Each list is as costly as a request can make it. */
const costly: Record<string, string[]> = {
  'one with 700 open alternatives': ['[^z]{0,700}[!,]'],
  'one of a thousand parts': ['[^z]{0,740}[!,]'],
  'a chain': ['(?:.*a){210}[!,]'],
  'sixty with tables of millions of states': Array.from(
    { length: 60 },
    (_, at) => `[ab]*a[ab]{20}[^ab]${at % 10}`,
  ),
  'a thousand narrow ones': Array.from({ length: 1000 }, (_, at) => `a[ab]{6}[c-${'defgh'[at % 5]}]`),
  'a text of 2,000 letters': [`${'a'.repeat(1000)}b?${'a'.repeat(990)}!`],
  'a thousand with long texts': Array.from({ length: 1000 }, () => `${'a'.repeat(450)}b${'a'.repeat(500)}`),
  'alternatives in a row': [`${'(?:a|ab)'.repeat(240)}[!,]`],
}

test('Every search pauses often', async t => {
  for (const [name, exclude] of Object.entries(costly)) {
    t.same(checkPatterns({ exclude }), { ok: true }, name)
    const filter = createPathFilter({ exclude })
    for (const path of ['a'.repeat(2_047), lettersOf('ab', 2_047), lettersOf('abc1/-.', 2_047)]) {
      const pieces: number[] = []
      const steps = filter.judgeSteps(`https://h/${path}`)
      for (let done = false; !done; ) {
        const began = process.threadCpuUsage()
        const from = performance.now()
        done = steps.next().done === true
        const { user, system } = process.threadCpuUsage(began)
        pieces.push(Math.min(performance.now() - from, (user + system) / 1000))
      }
      const slow = pieces.filter(ms => ms > 10).length
      // Garbage collection or a tick of the clock may fall into any slice.
      const longest = Math.max(...pieces)
      t.ok(
        slow <= pieces.length / 20 + 1 && longest < 100,
        `${name}: ${pieces.length} pieces, the longest ${longest.toFixed(1)} ms`,
      )
    }
  }
})

test('A search in slices has the same result as a search at once', async t => {
  const flagged = fc.tuple(fc.constantFrom('', '(?m)', '(?s)', '(?i)'), pattern).map(parts => parts.join(''))
  const lines = fc.array(fc.constantFrom('a', 'b', 'A', '/blog/', '1', '.', '-', '\n', '_', 'k'), {
    maxLength: 14,
  })
  const memories = fc.constantFrom(0, 400, 3_000, 100_000)
  const law = fc.property(
    flagged,
    fc.array(lines, { minLength: 1, maxLength: 4 }),
    memories,
    fc.integer({ min: 1, max: 9 }),
    (written, texts, memory, left) => {
      const theirs = new RE2Set(RE2Set.UNANCHORED, 0, 100_000)
      try {
        theirs.add(written)
      } catch {
        return true
      }
      const compiled = compileTokens(written, tokensOf(written), memory)
      if (!compiled.ok || /ü/.test(written)) return true
      return texts.every(parts => {
        const text = `/${parts.join('')}`
        const search = compiled.begin(text)
        let found = search.resume({ left })
        while (found === undefined) found = search.resume({ left })
        return found === theirs.match(text).length > 0
      })
    },
  )
  t.doesNotThrow(() => fc.assert(law, { numRuns: sized(400, 4000) }))
})

test('A list of patterns', async t => {
  const many = Array.from({ length: 1000 }, (_, at) => `^/(?:en|de)/section-${at}/[^/]+\\.html$`)
  t.same(checkPatterns({ include: many, exclude: many }), { ok: true }, 'may have a thousand patterns')
  const one = { ok: false, list: 'include', at: 1000, because: /1000 patterns/ }
  t.match(checkPatterns({ include: [...many, 'x'] }), one, 'and no more')
  const open = { ok: false, list: 'exclude', at: 1, because: /not closed/ }
  t.match(checkPatterns({ include: ['a'], exclude: ['a', '(b'] }), open, 'reports the faulty one')
  const evil = Array.from({ length: 500 }, (_, at) => `[ab]*a[ab]{100}x${at}$`)
  t.match(
    checkPatterns({ exclude: evil }),
    { ok: false, because: /heavy together/ },
    'must not be slow in total',
  )
  const worst = Array.from({ length: 200 }, (_, at) => `[ab]*a[ab]{20}[^ab]${at}`)
  const beyond = { ok: false, list: 'exclude', at: 60, because: /heavy together.*\[\^\/\]\*/ }
  t.match(checkPatterns({ exclude: worst }), beyond, 'nor with long addresses, and the text gives a remedy')
  const [some, others] = [worst.slice(0, 40), worst.slice(0, 21)]
  const shared = { ok: false, list: 'exclude', at: 20 }
  t.match(checkPatterns({ include: some, exclude: others }), shared, 'in one allowance with the other list')
  t.match(checkPatterns({ include: ['[^z]{0,700}!'], exclude: ['[^x]{0,700}!'] }), { ...shared, at: 0 })
  const letters = Array.from({ length: 72 }, (_, at) => `${'\\pL'.repeat(7)}${at}`)
  t.match(
    checkPatterns({ include: letters }),
    { ok: false, at: 71, because: /Unicode classes/ },
    'nor slow to compile',
  )
  const dates = Array.from({ length: 100 }, (_, at) => `^/[a-z]{2}/section-${at}/\\d{4}/\\d{2}/`)
  t.same(checkPatterns({ include: dates }), { ok: true }, 'but may be long in practice')
})

/** Patterns that take a backtracking engine years, and one that takes a table of 2^40 states. */
const evil = [
  ...['(a+)+$', '(a|a)*b$', '(.*a){30}$', '(?:a?){30}a{30}$', '([a-z]+)*\\d$', '(x+x+)+y', '[ab]*a[ab]{40}$'],
  ...['(?:.*.*){10}c$', '(?:\\w+\\s?)+$', 'a{0,40}a{0,40}b$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(?:.*a){600}$'],
  ...['(?:(?:a?){30}){40}b', '(?:a|ab|b|ba){300}$', '[^x]{1000}x', '(?i)(?:[a-z]*){500}1'],
]

test('A malicious pattern', async t => {
  for (const pattern of evil) {
    const started = performance.now()
    const compiled = compilePattern(`${pattern}|\\x01`)
    if (!compiled.ok) {
      t.match(compiled.because, /too heavy/, `is refused: ${pattern}`)
      continue
    }
    let odd = 1
    for (let round = 0; round < 50; round++) {
      const path = Array.from({ length: 200 }, () => {
        odd = (Math.imul(odd, 1_664_525) + 1_013_904_223) >>> 0
        return odd > 0x7fffffff ? 'a' : 'b'
      })
      compiled.matches(`/${path.join('')}`)
    }
    const spent = performance.now() - started
    t.ok(spent < 5000, `takes no time that matters: ${pattern} and 50 addresses ${Math.round(spent)} ms`)
  }
})
