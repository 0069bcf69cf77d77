/** Which URLs belong to a crawl, and where the borders of a site are. */
import fc from 'fast-check'
import { test } from 'tap'
import { normalForm } from './normal-form.ts'
import { inScope, scopeOf } from './scope.ts'
import { isPublicSuffix, siteOf } from './site.ts'

const widened: [seed: string, host: string, subdomains?: boolean][] = [
  ['https://www.example.com/x', 'example.com'],
  ['http://a.b.example.co.uk:8080/', 'example.co.uk:8080'],
  ['https://www.tidemark.github.io/', 'tidemark.github.io'],
  ['https://github.io/', 'github.io', false],
  ['https://co.uk/', 'co.uk', false],
  ['http://127.0.0.1:9000/', '127.0.0.1:9000'],
  ['http://[::1]:9000/', '[::1]:9000'],
  ['http://[::1]/', '[::1]'],
  ['http://intranet:81/', 'intranet:81'],
  ['http://www.bücher.example./', 'xn--bcher-kva.example'],
]

test('A scope', async t => {
  const host = scopeOf('https://Example.com/start', false)
  const wide = scopeOf('https://example.com/start', true)
  t.same(host, { host: 'example.com', subdomains: false }, 'is plain data')
  t.ok(inScope(host, 'http://example.com/x'), 'holds http and https alike')
  t.ok(inScope(host, 'https://example.com:443/'), 'is not misled by a default port')
  t.notOk(inScope(host, 'https://example.com:8443/'), 'holds no other port')
  t.notOk(inScope(host, 'https://www.example.com/'), 'contains no subdomain by default')
  t.ok(inScope(wide, 'https://a.b.example.com/'), 'contains every subdomain on request')
  t.notOk(inScope(wide, 'https://a.example.com:8080/'), 'but no other port of it')
  t.notOk(inScope(wide, 'https://notexample.com/'), 'and no name that only ends alike')
  t.ok(
    inScope(scopeOf('http://h:8080/', true), 'https://a.h:8080/'),
    'keeps its explicit port for subdomains',
  )
  for (const trick of [
    'http://evil.test\\.example.com/',
    'http://evil.test?.example.com/',
    'http://evil.test#.example.com/',
    'http://a.example.com@evil.test/',
    '//example.com/',
    'nonsense',
    'ftp://example.com/',
  ]) {
    t.notOk(inScope(wide, trick), `is not tricked by ${trick}`)
  }
  t.notOk(inScope(scopeOf('nonsense', true), 'http://example.com/'), 'of no URL holds nothing')
  for (const [seed, host, subdomains = true] of widened) {
    t.same(scopeOf(seed, true), { host, subdomains }, `with subdomains of ${seed} is ${host}`)
  }
  const older = { host: 'www.example.com', subdomains: true }
  t.notOk(inScope(older, 'http://example.com/'), 'that an older event wrote holds what it held')
  t.ok(inScope(older, 'http://a.www.example.com/'), 'and its own subdomains')

  const hosts = fc.constantFrom(
    'example.com',
    'a.example.com',
    'EXAMPLE.com',
    'example.com.',
    'x:y@example.com',
    '127.0.0.1',
    '127.1',
    '127.0.0.01',
    '[::1]',
    '[0::1]',
    'a_b.example.com',
  )
  const ports = fc.constantFrom('', ':80', ':443', ':080', ':8080', ':')
  const urls = fc
    .tuple(fc.constantFrom('http://', 'https://'), hosts, ports, fc.constantFrom('', '/', '/a', '?q', '#f'))
    .map(parts => parts.join(''))
  const law = fc.property(urls, urls, fc.boolean(), (seed, url, subdomains) => {
    const [a, b] = [new URL(normalForm(seed) ?? ''), new URL(normalForm(url) ?? '')]
    return (
      inScope(scopeOf(seed, subdomains), url) ===
      (a.host === b.host || (subdomains && siteOf(a.hostname) === siteOf(b.hostname) && a.port === b.port))
    )
  })
  t.doesNotThrow(() => fc.assert(law, { numRuns: 1000 }), 'judges every spelling as its normal form')
})

test('A site', async t => {
  t.equal(siteOf('a.b.example.co.uk'), 'example.co.uk', 'is the registrable domain')
  t.equal(siteOf('a.github.io'), 'a.github.io', 'respects private suffixes')
  t.equal(siteOf('127.0.0.1'), '127.0.0.1', 'is the address itself')
  t.equal(siteOf('localhost'), 'localhost', 'is the single label itself')
  t.ok(isPublicSuffix('co.uk'), 'begins below a public suffix')
  t.ok(isPublicSuffix('github.io'), 'also below one that is private')
  t.notOk(isPublicSuffix('example.co.uk'), 'is not a subdomain itself')
  t.notOk(isPublicSuffix('intranet'), 'may be a single label')
})
