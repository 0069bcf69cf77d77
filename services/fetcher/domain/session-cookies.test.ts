/** The cookies of a session that a request may carry. */
import type { SessionCookie } from '@tidemark/contracts/login/session'
import { test } from 'tap'
import { cookieFieldOf, cookiesOfSites, cookiesWithin, withCookies } from './session-cookies.ts'

const now = Date.parse('2026-11-26T04:00:00Z')
const cookie = (name: string, more: Partial<SessionCookie> = {}): SessionCookie => ({
  ...{ name, value: 'v', domain: 'app.example.com', path: '/', expires: -1 },
  ...{ httpOnly: true, secure: false, sameSite: 'Lax' as const },
  ...more,
})
const scope = { host: 'app.example.com', subdomains: false }
const wide = { host: 'example.com', subdomains: true }

test('The cookies of a session', t => {
  t.test('are sent by domain, path, Secure and expiry', t => {
    for (const [more, url, sent] of [
      [{}, 'http://app.example.com/', true],
      [{ domain: '.example.com' }, 'http://app.example.com/', true],
      [{ domain: '.app.example.com' }, 'http://app.example.com/', true],
      [{ domain: 'example.com' }, 'http://app.example.com/', false],
      [{ domain: '.ample.com' }, 'http://app.example.com/', false],
      [{ path: '/a' }, 'http://app.example.com/a', true],
      [{ path: '/a' }, 'http://app.example.com/a/b', true],
      [{ path: '/a/' }, 'http://app.example.com/a/b', true],
      [{ path: '/a' }, 'http://app.example.com/ab', false],
      [{ path: '/a/' }, 'http://app.example.com/a', false],
      [{ secure: true }, 'https://app.example.com/', true],
      [{ secure: true }, 'http://app.example.com/', false],
      [{ expires: now / 1000 + 1 }, 'http://app.example.com/', true],
      [{ expires: now / 1000 }, 'http://app.example.com/', false],
    ] as const)
      t.equal(
        cookieFieldOf([cookie('a', more)], scope, url, now),
        sent ? 'a=v' : '',
        `${JSON.stringify(more)} ${url}`,
      )
    t.end()
  })

  t.test('are sent only to hosts of the scope', t => {
    const all = [cookie('a', { domain: '.example.com' })]
    for (const [url, sent] of [
      ['http://other.example.com/', ''],
      ['http://app.example.com:8080/', ''],
      ['http://example.org/', ''],
      ['not a url', ''],
      ['http://app.example.com/', 'a=v'],
    ] as const)
      t.equal(cookieFieldOf(all, scope, url, now), sent, url)
    t.equal(cookieFieldOf(all, wide, 'http://other.example.com/', now), 'a=v')
    t.end()
  })

  t.test('come in the order of their paths, and never divide the field', t => {
    const all = [cookie('short'), cookie('long', { path: '/a/b' }), cookie('bad', { value: 'x\r\ny' })]
    t.equal(cookieFieldOf(all, scope, 'http://app.example.com/a/b', now), 'long=v; short=v')
    t.equal(cookieFieldOf([cookie('ü')], scope, 'http://app.example.com/', now), 'Ã¼=v', 'as bytes of UTF-8')
    t.end()
  })

  t.test('replace those of the client with the same name', t => {
    t.strictSame(withCookies({ 'x-a': '1', cookie: 'a=own; b=own' }, 'a=v'), {
      'x-a': '1',
      cookie: 'b=own; a=v',
    })
    t.strictSame(withCookies({}, 'a=v'), { cookie: 'a=v' })
    t.strictSame(withCookies({ cookie: 'a=own' }, ''), { cookie: 'a=own' })
    for (const [own, field, sent] of [
      ['consent=1;lang=de', 'consent=9', 'lang=de; consent=9'],
      ['consent=1;lang=de', 'lang=en', 'consent=1; lang=en'],
      ['a=1;  b=2;', 'c=3', 'a=1; b=2; c=3'],
    ] as const)
      t.strictSame(withCookies({ cookie: own }, field), { cookie: sent }, `${own} without single spaces`)
    t.end()
  })

  t.test('are kept only for the site of the crawl, not for another one that logs in', t => {
    const kept = (domain: string, ...hosts: string[]) =>
      cookiesOfSites([cookie('a', { domain })], hosts).length === 1
    for (const domain of ['app.example.com', '.example.com', 'login.example.com'])
      t.ok(kept(domain, 'app.example.com:8080'), domain)
    for (const domain of ['id.example.org', '.example.org', 'com']) t.notOk(kept(domain, scope.host), domain)
    t.ok(kept('id.example.org', scope.host, 'example.org.'), 'the site of the seed')
    t.ok(kept('127.0.0.1', '127.0.0.1:80') && !kept('127.0.0.2', '127.0.0.1:80'))
    t.end()
  })

  t.test('are narrowed to the host of the page in a browser, which knows no scope', t => {
    const url = 'http://app.example.com/x'
    const domains = (domain: string, within = scope) =>
      cookiesWithin([cookie('a', { domain })], within, url, now).map(({ domain }) => domain)
    t.strictSame(domains('app.example.com'), ['app.example.com'])
    t.strictSame(domains('.app.example.com'), ['app.example.com'], 'no host below')
    t.strictSame(domains('.example.com'), ['app.example.com'], 'and no host beside')
    t.strictSame(domains('other.example.com'), [])
    t.strictSame(domains('.example.com', wide), ['.example.com'])
    t.strictSame(domains('other.example.com', wide), ['other.example.com'])
    t.strictSame(domains('.example.org', wide), [])
    t.strictSame(cookiesWithin([cookie('a', { expires: 1 })], scope, url, now), [])
    t.strictSame(cookiesWithin([cookie('a')], scope, 'http://b.example/', now), [])
    t.end()
  })
  t.end()
})
