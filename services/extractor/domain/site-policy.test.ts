/** The interpretation of a site's texts for crawlers. */
import { lifeOf } from '@tidemark/redis/site-files'
import { test } from 'tap'
import { failedFile, type SiteFileResponse, siteFileOf, siteFiles } from './site-file.ts'
import { type SiteTexts, sitePolicyOf, verdictOn } from './site-policy.ts'

const at = '2026-01-02T03:04:05.678Z'
const origin = 'https://site.test'
const answered = (text: string, more: Partial<SiteFileResponse> = {}): SiteFileResponse => ({
  status: 200,
  contentType: 'text/plain; charset=utf-8',
  bytes: Buffer.from(text),
  isWhole: true,
  ...more,
})
const robots = (text: string, more: Partial<SiteFileResponse> = {}) =>
  siteFileOf('robots', at, answered(text, more))
const none = siteFileOf('llms', at, answered('', { status: 404 }))
const policy = (texts: Partial<SiteTexts>) =>
  sitePolicyOf(origin, { robots: robots(''), llms: none, llmsFull: null, ...texts })

test('Responses that count as a text', async t => {
  const llms = (text: string, more: Partial<SiteFileResponse> = {}) =>
    siteFileOf('llms', at, answered(text, more)).text
  const cases: [text: string, more: Partial<SiteFileResponse>, isOne: boolean][] = [
    ['# Site', {}, true],
    ['# Site', { contentType: 'text/markdown' }, true],
    ['# Site', { contentType: 'TEXT/X-MARKDOWN ;a=b' }, true],
    ['# Site', { contentType: null }, true],
    ['<!-- a remark -->\n# Site', {}, true],
    ['<p align=center>Logo</p>\n\n# Site', { contentType: 'text/markdown' }, true],
    ['# Site', { contentType: 'text/html' }, false],
    ['# Site', { contentType: 'application/json' }, false],
    ['# Site', { status: 203 }, false],
    ['# Site', { status: 404 }, false],
    ['# Site', { status: 500 }, false],
    ['\n <!DOCTYPE html><title>Not here</title>', {}, false],
    ['\ufeff<html lang=en>', { contentType: null }, false],
  ]
  for (const [text, more, isOne] of cases)
    t.equal(llms(text, more), isOne ? text : null, JSON.stringify([text, more]))
  t.equal(llms('\ufeff# Site'), '# Site', 'without a byte order mark')
  t.equal(robots('<html>', { contentType: 'text/html' }).text, '<html>', 'robots.txt is whatever it is')
  t.equal(robots('x', { status: 299 }).text, 'x', 'with any status of success')
  t.equal(robots('x', { status: 304 }).text, null)
})

test('A text that is too long ends with a whole line', async t => {
  const { maxBytes } = siteFiles.llms
  const lines = 'Grüße aus Kiel\n'.repeat(20_000)
  const long = siteFileOf('llms', at, answered(lines))
  t.ok(long.truncated && Buffer.byteLength(long.text ?? '') <= maxBytes)
  t.ok(long.text?.endsWith('Kiel\n') && lines.startsWith(long.text))
  const one = siteFileOf('llms', at, answered('ü'.repeat(maxBytes)))
  t.same([one.text, one.truncated], ['ü'.repeat(maxBytes / 2), true], 'or with a whole character')
  const fits = siteFileOf('llms', at, answered('x'.repeat(maxBytes)))
  t.same([fits.text?.length, fits.truncated], [maxBytes, false])
  t.same(siteFileOf('llms', at, answered('a\nb', { isWhole: false })), {
    fetchedAt: at,
    status: 200,
    error: null,
    text: 'a\n',
    truncated: true,
  })
  const rules = `${'User-agent: *\n'.repeat(36_571)}Disallow: /a${'b'.repeat(100)}`
  t.equal(policy({ robots: robots(rules) }).aiBotPolicy.GPTBot, 'allowed', 'a truncated rule is ignored')
  const max = siteFiles.robots.maxBytes
  t.match(robots('a'.repeat(max + 1)), { text: '', truncated: true }, 'also if it is the only line')
  const mixed = `${'#'.repeat(max - 30)}\nUser-agent: *\rDisallow: /a`
  const read = robots(`${mixed}bcdefgh`)
  t.equal(read.text, mixed.slice(0, mixed.lastIndexOf('\r') + 1), 'also after CR')
})

test('The policy of a site', async t => {
  const texts = {
    robots: robots(
      'User-agent: *\nContent-Signal: ai-train=no\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /',
    ),
    llms: siteFileOf('llms', at, answered('# Site')),
    llmsFull: siteFileOf('llmsFull', at, answered('# Site, all of it', { isWhole: false })),
  }
  t.match(policy(texts), {
    origin,
    fetchedAt: at,
    robotsStatus: 200,
    robotsError: null,
    robotsTruncated: false,
    llmsTxt: '# Site',
    llmsTruncated: false,
    llmsFullTxt: '# Site, all of it',
    llmsFullTruncated: true,
    aiBotPolicy: { GPTBot: 'disallowed', ClaudeBot: 'partial' },
    contentSignals: { '*': { 'ai-train': 'no' } },
  })
  t.equal(policy({}).llmsFullTxt, null)
})

test('A robots.txt that is unavailable (RFC 9309, 2.3.1)', async t => {
  const cases: [name: string, file: ReturnType<typeof robots>, word: string, allowed: boolean][] = [
    ['404', robots('Disallow all', { status: 404 }), 'unspecified', true],
    ['403', robots('', { status: 403 }), 'unspecified', true],
    ['429', robots('', { status: 429 }), 'disallowed', false],
    ['503', robots('', { status: 503 }), 'disallowed', false],
    ['no answer', failedFile(at, 'connect', 'No connection could be made.'), 'disallowed', false],
  ]
  for (const [name, robots, word, allowed] of cases) {
    const site = policy({ robots })
    t.equal(site.robotsTxt, null, name)
    t.ok(
      Object.values(site.aiBotPolicy).every(policy => policy === word),
      `${name}: ${word}`,
    )
    t.same(verdictOn(site, 'GPTBot', '/x'), { allowed, rule: null, agent: null })
    t.equal(verdictOn(site, 'GPTBot', '/robots.txt').allowed, true)
  }
})

test('The time to cache a result', async t => {
  const minutes = (file: ReturnType<typeof robots>) => lifeOf(file) / 60_000
  t.equal(minutes(robots('')), 60)
  t.equal(minutes(robots('', { status: 404 })), 60)
  for (const status of [429, 500, 503]) t.equal(minutes(robots('', { status })), 5, `${status}`)
  t.equal(minutes(failedFile(at, 'dns', '')), 1)
  t.equal(minutes(failedFile(at, 'timeout', '')), 0, 'a timeout is not cached')
})
