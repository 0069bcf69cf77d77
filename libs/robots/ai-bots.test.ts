/** The rules of robots.txt for AI bots, by RFC 9309 and by content signals. */
import { codePoint } from '@tidemark/testing/code-point'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { aiBotPolicy, verdictFor } from './ai-bot-policy.ts'
import { aiBots, isAiBot } from './ai-bots.ts'
import { contentSignals } from './content-signals.ts'
import { parseRobots } from './parse.ts'
import { tokenOf } from './token.ts'

const policy = (lines: string, bot = 'GPTBot') => aiBotPolicy(lines)[bot]

test('The table of AI bots', async t => {
  const tokens = aiBots.map(({ token }) => token.toLowerCase())
  t.ok(tokens.length >= 30, 'has the best-known bots')
  t.equal(new Set(tokens).size, tokens.length, 'has no duplicates')
  t.ok(
    tokens.every(token => tokenOf(token) === token),
    'has valid tokens for robots.txt',
  )
  t.ok(
    aiBots.every(({ documentation }) => documentation === null || URL.canParse(documentation)),
    'has addresses',
  )
  t.ok(isAiBot('gptbot') && !isAiBot('googlebot'), 'ignores the case of names')
})

test('The policy for an AI bot', async t => {
  const own = 'User-agent: GPTBot\n'
  const policies: [lines: string, expected: string][] = [
    ['', 'unspecified'],
    ['User-agent: OtherBot\nDisallow: /', 'unspecified'],
    [`${own}Disallow: /`, 'disallowed'],
    ['user-agent: gptbot/1.1\ndisallow: /*', 'disallowed'],
    [`${own}Disallow:`, 'allowed'],
    [own, 'allowed'],
    [`${own}Allow: /\nDisallow: /`, 'allowed'],
    [`${own}Allow: /blog`, 'allowed'],
    [`${own}Disallow: /private`, 'partial'],
    [`${own}Disallow: /\nAllow: /blog/`, 'partial'],
    [`${own}Disallow: /*\nAllow: /`, 'disallowed'],
    [`${own}Disallow: /$`, 'partial'],
    [`${own}Disallow: /~`, 'partial'],
    [`${own}Disallow: /*/`, 'partial'],
    [`${own}Disallow: /*s`, 'partial'],
    [`${own}Disallow: /\nAllow: foo`, 'disallowed'],
    [`${own}Disallow: */`, 'disallowed'],
    [`${own}Disallow: /**$`, 'disallowed'],
    [`${own}Disallow: **/*$`, 'disallowed'],
    [`${own}Disallow: */$`, 'partial'],
    [`${own}Disallow: /***\nAllow: /a`, 'disallowed'],
    [`${own}Disallow: /***\nAllow: /abc`, 'partial'],
    [`${own}Disallow: /a\nAllow: /a`, 'allowed'],
    [`${own}Disallow: /a$\nAllow: /*a`, 'allowed'],
    [`${own}Disallow: /a/b\nAllow: /a*/*b`, 'allowed'],
    [`${own}Disallow: /a/b\nAllow: /a/`, 'partial'],
    [`${own}Disallow: /\nAllow: */b\nDisallow: /*/b`, 'partial'],
    [`${own}Disallow: /\nAllow: /robots.txt$`, 'disallowed'],
    [`${own}Disallow: /\nAllow: /robots.txt`, 'disallowed'],
    [`${own}Disallow: /\nAllow: /robots.txt*`, 'disallowed'],
    [`${own}Disallow: /robots.txt`, 'allowed'],
    [`${own}Disallow: /\nAllow: /robots.txt/`, 'partial'],
    [`${own}Disallow: /\nAllow: /robots`, 'partial'],
    ['User-agent: *\nDisallow: /', 'disallowed'],
    ['User-agent: *\nDisallow: /wp-admin/', 'partial'],
    [`User-agent: *\nDisallow: /\n\n${own}Allow: /`, 'allowed'],
    [`${own}Disallow: /a\n\n${own}Disallow: /`, 'disallowed'],
    ['User-agent: ClaudeBot\nUser-agent: GPTBot\nDisallow: /', 'disallowed'],
  ]
  for (const [lines, expected] of policies)
    t.equal(policy(lines), expected, `${JSON.stringify(lines)}: ${expected}`)
  t.same(
    Object.keys(aiBotPolicy('')),
    aiBots.map(({ token }) => token),
    'is returned for every bot',
  )
  t.same(
    aiBotPolicy(parseRobots(`${own}Disallow: /`), ['GPTBot', 'x']),
    { GPTBot: 'disallowed', x: 'unspecified' },
    'is returned for the requested bots',
  )
})

test('The policy for an AI bot agrees with the verdicts for all addresses', async t => {
  const middle = fc.string({ unit: fc.constantFrom('/', 'a', '*'), maxLength: 3 })
  const pattern = fc
    .tuple(fc.constantFrom('/', '*', ''), middle, fc.constantFrom('', '$'))
    .map(parts => parts.join(''))
  const rules = fc.array(fc.tuple(fc.boolean(), pattern), { maxLength: 5 })
  const probes = pathsOf(['/', 'a', 'z'], 6)
  const agrees = fc.property(rules, lines => {
    const robots = parseRobots(
      `User-agent: *\n${lines.map(([allow, pattern]) => `${allow ? 'Allow' : 'Disallow'}: ${pattern}`).join('\n')}`,
    )
    const verdicts = new Set(probes.map(path => verdictFor(robots, 'GPTBot', path).allowed))
    const [allowed] = verdicts
    return aiBotPolicy(robots).GPTBot === (verdicts.size > 1 ? 'partial' : allowed ? 'allowed' : 'disallowed')
  })
  t.doesNotThrow(() => fc.assert(agrees, { numRuns: sized(170, 500) }))
})

/** Returns the paths of these characters up to a length. */
function pathsOf(characters: readonly string[], maxLength: number): string[] {
  let longest = ['/']
  const paths = [...longest]
  for (let length = 2; length <= maxLength; length++) {
    longest = longest.flatMap(path => characters.map(character => path + character))
    paths.push(...longest)
  }
  return paths
}

test('The verdict for one address', async t => {
  const robots = 'User-agent: *\nDisallow: /private\n\nUser-agent: ExampleBot\nDisallow: /\nAllow: /open'
  t.same(verdictFor(robots, 'ExampleBot/2.1', '/open/x'), {
    allowed: true,
    rule: '/open',
    agent: 'examplebot',
  })
  t.same(verdictFor(robots, 'Mozilla/5.0 (compatible; ExampleBot/2.1)', '/x'), {
    allowed: false,
    rule: '/',
    agent: 'examplebot',
  })
  t.same(verdictFor(robots, 'Mozilla/5.0 (Windows)', '/private'), {
    allowed: false,
    rule: '/private',
    agent: '*',
  })
  for (const userAgent of [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ExampleBot/1.2; +https://example.com/bot)',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15 (ExampleBot/0.1; +https://example.com/bot)',
  ])
    t.match(verdictFor(robots, userAgent, '/x'), { allowed: false }, userAgent)
  t.match(
    verdictFor(
      robots,
      'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/605.1.15',
      '/x',
    ),
    { agent: '*' },
    'a browser',
  )
  t.same(verdictFor('', 'ExampleBot', '/'), { allowed: true, rule: null, agent: null })
})

test('Content signals', async t => {
  const robots = `# Content-Signal: ai-train=yes
    Content-Signal: early=no
    User-agent: *
    Content-Signal: search=yes, ai-train=no # why
    Allow: /

    User-Agent: GPTBot
    User-Agent: CCBot
    content-signal: AI-Input=YES
    Content-Signal: ai-input=no; odd, ai-train=maybe
    Disallow: /`
  const found = contentSignals(robots)
  t.same(
    found,
    { '*': { search: 'yes', 'ai-train': 'no' }, gptbot: { 'ai-input': 'no' }, ccbot: { 'ai-input': 'no' } },
    'apply to the names before them',
  )
  t.same(parseRobots(robots).groups[0]?.rules, [{ allow: true, pattern: '/' }], 'are not rules')
})

test('Any text has a policy', async t => {
  const word = fc.oneof(
    fc.constantFrom(
      'User-agent: ',
      'GPTBot',
      '*',
      '\n',
      'Disallow: ',
      'Allow: ',
      '/',
      '$',
      'Content-Signal: ',
      'a=no',
      ',',
      '__proto__',
    ),
    fc.string({ unit: codePoint }),
  )
  const total = fc.property(fc.array(word, { maxLength: 40 }), words => {
    const text = words.join('')
    JSON.stringify(contentSignals(text))
    return verdictFor(text, 'GPTBot', '/').allowed || policy(text) !== 'allowed'
  })
  t.doesNotThrow(
    () => fc.assert(total, { numRuns: sized(350, 1000) }),
    'nothing throws, and the policy agrees with the verdict for one address',
  )

  const started = process.cpuUsage()
  const names = 'User-agent: a\n'.repeat(3000) + 'Content-Signal: a=no,b=yes\n'.repeat(10_000)
  contentSignals(names)
  const commas = `${Array.from({ length: 1000 }, (_, n) => `User-agent: a${n}`).join('\n')}\n${`Content-Signal:${','.repeat(950)}\n`.repeat(500)}`
  contentSignals(commas)
  const everything = Array.from(
    { length: 90 },
    (_, n) => `${'abcdefghij'[n % 10]}${'abcdefghij'[Math.floor(n / 10)]}=no`,
  )
  const many = contentSignals(`User-agent: *\n${`Content-Signal: ${everything.join(',')}\n`.repeat(500)}`)
  t.equal(Object.keys(many['*'] ?? {}).length, 20, 'the number of signals is limited')
  aiBotPolicy(
    names + aiBots.map(({ token }) => `User-agent: ${token}\n${'Disallow: /*a*b\n'.repeat(100)}`).join(''),
  )
  const shadowed = Array.from({ length: 49 }, (_, n) => `Allow: /*a${n}*b$\nDisallow: /*a${n}*b**\n`)
  const own = aiBots.map(({ token }) => `User-agent: ${token}\nDisallow: /\n`)
  const shared = aiBots.map(({ token }) => `User-agent: ${token}\n`)
  t.equal(
    policy([...own, ...shared, ...shadowed].join('')),
    'disallowed',
    'exceptions that decide nothing are found',
  )
  t.ok(process.cpuUsage(started).user < 3_000_000, 'a hostile file takes little time')

  const all = aiBots.map(({ token }) => `User-agent:${token}\n`).join('')
  const ofEveryBot = {
    'one rule for all addresses': `${all}${'Allow:*\n'.repeat(64_000)}`,
    'many rules for all addresses': `${all}${Array.from({ length: 1000 }, (_, n) => `Allow:${'*'.repeat(n + 1)}\n`).join('')}`,
    'a second group of every bot': `${all}${'Allow:/\n'.repeat(60_000)}${all}`,
    'a group of its own and a shared one': `${aiBots.map(({ token }) => `User-agent:${token}\nAllow:/\n`).join('')}${all}${'Allow:/ab\n'.repeat(50_000)}`,
  }
  for (const [name, text] of Object.entries(ofEveryBot)) {
    const began = process.cpuUsage()
    t.equal(policy(text), 'allowed', name)
    const { user } = process.cpuUsage(began)
    t.ok(user < 500_000, `${name}: ${Math.round(user / 1000)} ms`)
  }
})
