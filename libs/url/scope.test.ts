/** The URLs that belong to a crawl, and the borders of a site. */
import fc from 'fast-check'
import { test } from 'tap'
import { normalForm } from './normal-form.ts'
import { inScope, isOnSiteOf, scopeOf, siteScopeOf } from './scope.ts'
import { isPublicSuffix, siteOf } from './site.ts'

const widened: [seed: string, host: string, subdomains?: boolean][] = [
  ['https://www.example.com/x', 'example.com'],
  ['https://docs.example.com/', 'docs.example.com'],
  ['https://www.docs.example.com/', 'docs.example.com'],
  ['https://www.www.example.com/', 'www.example.com'],
  ['https://wwww.example.com/', 'wwww.example.com'],
  ['http://a.b.example.co.uk:8080/', 'a.b.example.co.uk:8080'],
  ['http://www.example.co.uk:8080/', 'example.co.uk:8080'],
  ['https://www.tidemark.github.io/', 'tidemark.github.io'],
  ['https://www.github.io/', 'www.github.io'],
  ['https://www.com/', 'www.com'],
  ['http://www/', 'www'],
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
  t.ok(inScope(host, 'http://example.com/x'), 'includes http and https alike')
  t.ok(inScope(host, 'https://example.com:443/'), 'ignores a default port')
  t.notOk(inScope(host, 'https://example.com:8443/'), 'excludes other ports')
  t.notOk(inScope(host, 'https://www.example.com/'), 'excludes subdomains by default')
  t.ok(inScope(wide, 'https://a.b.example.com/'), 'includes every subdomain on request')
  t.notOk(inScope(wide, 'https://a.example.com:8080/'), 'but no other port of it')
  t.notOk(inScope(wide, 'https://notexample.com/'), 'and no name that only has the same end')
  t.ok(
    inScope(scopeOf('http://h:8080/', true), 'https://a.h:8080/'),
    'keeps its explicit port for subdomains',
  )
  for (const [seed, twin] of [
    ['http://h:443/', 'https://h:443/'],
    ['https://h:80/', 'http://h:80/'],
  ] as const)
    t.notOk(inScope(scopeOf(seed, false), twin), `excludes ${twin}, where the port is the default`)
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
  t.notOk(inScope(scopeOf('nonsense', true), 'http://example.com/'), 'of an invalid URL is empty')
  for (const [seed, host, subdomains = true] of widened) {
    t.same(scopeOf(seed, true), { host, subdomains }, `with subdomains of ${seed} is ${host}`)
  }
  const docs = scopeOf('http://docs.example.com/start', true)
  t.ok(inScope(docs, 'http://x.docs.example.com/'), 'with subdomains includes those of the seed')
  for (const other of ['http://example.com/', 'http://www.example.com/', 'http://shop.example.com/']) {
    t.notOk(inScope(docs, other), `but not ${other}, which belongs to its parent domain`)
  }
  const www = scopeOf('http://www.example.com/', true)
  t.ok(inScope(www, 'http://example.com/'), 'of a host with www includes the host without it')
  t.ok(inScope(www, 'http://shop.example.com/'), 'and its subdomains')
  const older = { host: 'www.example.com', subdomains: true }
  t.notOk(inScope(older, 'http://example.com/'), 'of an older event keeps its meaning')
  t.ok(inScope(older, 'http://a.www.example.com/'), 'and its own subdomains')

  t.same(siteScopeOf('http://a.b.example.co.uk:81/'), { host: 'example.co.uk:81', subdomains: true })
  t.ok(isOnSiteOf(docs, 'https://maps.example.com:81/m.xml'), 'is on the site of its registrable domain')
  t.notOk(isOnSiteOf(docs, 'https://example.org/m.xml'), 'and on no other')
  t.ok(isOnSiteOf(scopeOf('http://127.0.0.1:81/', false), 'http://127.0.0.1:82/'), 'at any port')
  t.same(siteScopeOf('http://github.io/'), { host: 'github.io', subdomains: false })

  const hosts = fc.constantFrom(
    'example.com',
    'a.example.com',
    'www.example.com',
    'x.a.example.com',
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
    const top = a.hostname.replace(/^www\./, '')
    const isBelow = b.hostname === top || b.hostname.endsWith(`.${top}`)
    return (
      inScope(scopeOf(seed, subdomains), url) ===
      (a.host === b.host || (subdomains && isBelow && a.port === b.port))
    )
  })
  t.doesNotThrow(() => fc.assert(law, { numRuns: 1000 }), 'treats every spelling like its normal form')
})

test('A site', async t => {
  t.equal(siteOf('a.b.example.co.uk'), 'example.co.uk', 'is the registrable domain')
  t.equal(siteOf('a.github.io'), 'a.github.io', 'respects private suffixes')
  t.equal(siteOf('127.0.0.1'), '127.0.0.1', 'is the address itself')
  t.equal(siteOf('localhost'), 'localhost', 'is the single label itself')
  t.ok(isPublicSuffix('co.uk'), 'begins below a public suffix')
  t.ok(isPublicSuffix('github.io'), 'also below a private one')
  t.notOk(isPublicSuffix('example.co.uk'), 'is not a public suffix itself')
  t.notOk(isPublicSuffix('intranet'), 'may be a single label')
})
