/** The links of a page, the verdicts on responses, and the anchors of a page. */

import { Refusal } from '@tidemark/bus/refusal'
import type { LinkReason, LinkStatus } from '@tidemark/contracts/http/actors/check-links'
import { documents } from '@tidemark/testing/documents'
import fc from 'fast-check'
import { test } from 'tap'
import type { Failed, Fetched } from '../../adapters/fetch-now.ts'
import { checkLink } from '../../handlers/actors/check-link.ts'
import { fragmentAnchorsIn } from './fragment-anchors.ts'
import { type LinkResponse, linkVerdict, wasNotRequested } from './link-verdict.ts'
import { pageLinks } from './page-links.ts'
import { seePage } from './seen-page.ts'
import { inSmallHeap } from './small-heap.scene.ts'

const url = 'https://site.test/a/page'
const busy = { status: 503, code: 'unavailable', message: 'Busy.' } as const
const seen = (html: string | Buffer, contentType = 'text/html') =>
  seePage({ url, status: 200, contentType, headers: {}, body: Buffer.from(html) })

test('A link is judged by its response', async t => {
  const cases: [statuses: number[], status: LinkStatus, reason: LinkReason | null][] = [
    [[200, 201, 204, 206, 300, 304], 'ok', null],
    [[404], 'broken', 'not_found'],
    [[410], 'broken', 'gone'],
    [[400, 402, 405, 406, 408, 409, 418, 422, 428, 431, 498, 499], 'broken', 'client_error'],
    [[500, 501, 502, 503, 504, 520, 530, 599], 'broken', 'server_error'],
    [[401, 403, 407, 429, 451, 999], 'excluded', 'blocked'],
    [[301, 302, 303, 307, 308], 'broken', 'bad_redirect'],
    [[600, 998], 'broken', 'protocol'],
  ]
  for (const [statuses, status, reason] of cases) {
    for (const answer of statuses) {
      const verdict = linkVerdict({ is: 'answered', status: answer, challenge: null })
      t.match(verdict, { status, reason }, `${answer}`)
      t.equal(verdict.error === null, status === 'ok')
      if (verdict.error !== null) t.ok(verdict.error.startsWith(`${answer}: `))
    }
  }
  const moved = linkVerdict({ is: 'answered', status: 302, challenge: null })
  t.equal(moved.error, '302: it redirects without a valid http(s) URL', 'also for a redirect to mailto:')
  for (const status of [200, 202, 403, 404, 503]) {
    const verdict = linkVerdict({ is: 'answered', status, challenge: 'Somebody' })
    t.match(
      verdict,
      { status: 'excluded', reason: 'blocked', error: /Somebody/ },
      `a challenge with ${status}`,
    )
  }
})

test('A link without a response is judged by the reason', async t => {
  const cases: [why: string, status: LinkStatus, reason: LinkReason, isUnasked: boolean][] = [
    ['private_address', 'excluded', 'private_address', true],
    ['blocked_domain', 'excluded', 'blocked_domain', true],
    ['robots', 'excluded', 'robots', true],
    ['bad_url', 'excluded', 'unsupported_url', true],
    ['aborted', 'excluded', 'not_asked', true],
    ['no_room', 'excluded', 'not_asked', true],
    ['not_configured', 'excluded', 'not_asked', true],
    ['dns', 'broken', 'dns', false],
    ['connect', 'broken', 'connect', false],
    ['proxy', 'broken', 'connect', false],
    ['tls', 'broken', 'tls', false],
    ['timeout', 'broken', 'timeout', false],
    ['too_large', 'broken', 'too_large', false],
    ['too_many_redirects', 'broken', 'too_many_redirects', false],
    ['protocol', 'broken', 'protocol', false],
    ['a new one', 'broken', 'protocol', false],
    ['constructor', 'broken', 'protocol', false],
  ]
  for (const [reason, status, verdict, free] of cases) {
    const response: Extract<LinkResponse, { is: 'failed' }> = {
      is: 'failed',
      reason,
      message: 'Why.\nWhere.',
    }
    t.strictSame(linkVerdict(response), { status, reason: verdict, error: 'Why.' }, reason)
    t.equal(wasNotRequested(response), free, reason)
  }
  const waiting: LinkResponse = { is: 'failed', reason: 'timeout', message: 'Late.', isUnasked: true }
  t.match(linkVerdict(waiting), { status: 'excluded', reason: 'not_asked' }, 'it got no slot')
  t.ok(wasNotRequested(waiting))
})

const answered: Fetched = {
  ...{ is: 'fetched', url, status: 200, hops: [], contentType: 'text/html', robotsHeader: null },
  ...{ headers: {}, encodings: [], elapsedMs: 1, body: Buffer.from('') },
}
const silence: Failed = { is: 'failed', reason: 'timeout', message: 'Late.', hops: [] }
const notRequested: Failed = { ...silence, isUnasked: true }

test('The first response of a link counts if the next request gets no slot', async t => {
  const check = async (responses: (Partial<Fetched> | Failed)[]) => {
    const methods: (string | undefined)[] = []
    const { status, reason, statusCode, isAsked } = await checkLink({
      fetchPage: async ({ method }) => {
        methods.push(method)
        const next = responses.shift()
        return next?.is === 'failed' ? next : { ...answered, ...next }
      },
      readSiteFile: async () => ({ fetchedAt: '', status: 404, error: null, text: null, truncated: false }),
      robotsToken: 'tidemark',
      thread: { expect: () => {}, see: () => Promise.reject(new Refusal(busy)) },
    })({ workId: -1, projectId: 1, url, places: [], delayMs: 0, concurrency: 1, timeoutMs: 20_000 })
    return [methods.join(' '), status, reason, statusCode, isAsked]
  }
  const unasked = ['excluded', 'not_asked', null, false]
  t.strictSame(await check([{ status: 404 }, notRequested]), ['HEAD GET', 'broken', 'not_found', 404, true])
  t.strictSame(await check([silence, notRequested]), ['HEAD GET', 'broken', 'timeout', null, true])
  const failing = { status: 503 }
  t.strictSame(await check([failing, failing, notRequested]), [
    'HEAD GET GET',
    'broken',
    'server_error',
    503,
    true,
  ])
  for (const status of [405, 501])
    t.strictSame(
      await check([{ status }, notRequested]),
      ['HEAD GET', ...unasked],
      `${status} does not answer a GET`,
    )
  t.strictSame(await check([{ status: 404 }, answered]), ['HEAD GET', 'ok', null, 200, true])
  t.strictSame(await check([notRequested]), ['HEAD', ...unasked])
})

test('A link whose robots.txt is unavailable is not requested, and not broken', async t => {
  const verdictWhere = async (reason: string) => {
    const {
      status,
      reason: why,
      error,
      isAsked,
    } = await checkLink({
      fetchPage: () => Promise.reject(new Error('it was requested')),
      readSiteFile: async () => ({
        ...{ fetchedAt: '', status: null, text: null, truncated: false },
        error: { reason, message: 'Why.' },
      }),
      robotsToken: 'tidemark',
      thread: { expect: () => {}, see: () => Promise.reject(new Refusal(busy)) },
    })({ workId: -1, projectId: 1, url, places: [], delayMs: 0, concurrency: 1, timeoutMs: 20_000 })
    return [status, why, isAsked, error]
  }
  for (const reason of ['timeout', 'protocol', 'too_large', 'too_many_redirects', 'aborted']) {
    const expected = ['excluded', 'robots', false, 'robots.txt could not be fetched: Why.']
    t.strictSame(await verdictWhere(reason), expected, reason)
  }
  for (const reason of ['dns', 'connect', 'tls'])
    t.strictSame(
      await verdictWhere(reason),
      ['broken', reason, true, 'Why.'],
      `its page would meet ${reason} too`,
    )
  t.match(await verdictWhere('private_address'), ['excluded', 'private_address', false])
})

test('The links of a page are those of its elements, each once', async t => {
  const { links, more } = pageLinks(
    seen(`<base href="/b/"><link rel=stylesheet href=s.css><link rel="alternate STYLESHEET" href=t.css>
<link rel=canonical href=/canonical><script src=x.js></script><script>document.write('<a href=no>')</script>
<a href=one>1</a><a href=" one ">1</a><a href=ONE>1</a><a href="one#part">1</a><a href="#here">1</a>
<map><area href=two></map><img src=p.png><img src="data:image/png;base64,AA"><a href="#">up</a><a href="#TOP">up</a>
<a href="">this</a><a>none</a><a href="mailto:a@b.test">m</a><a href="JavaScript:go()">j</a><a href="tel:+1">t</a>
<a href="//cdn.test/x">c</a><a href="http://[">bad</a><a href="/%7Ex?b&amp;c">q</a><template><a href=in>i</a></template>
<noscript><img src=n.png></noscript><a href="${'x'.repeat(9000)}">long</a><svg><a href=drawn>d</a></svg>`),
    100,
  )
  t.strictSame(
    links.map(({ url, kind }) => `${kind} ${url}`),
    [
      'stylesheet https://site.test/b/s.css',
      'stylesheet https://site.test/b/t.css',
      'script https://site.test/b/x.js',
      'link https://site.test/b/one',
      'link https://site.test/b/ONE',
      'link https://site.test/b/one#part',
      'link https://site.test/b/#here',
      'link https://site.test/b/two',
      'image https://site.test/b/p.png',
      'link mailto:a@b.test',
      'link javascript:go()',
      'link tel:+1',
      'link https://cdn.test/x',
      'link http://[',
      'link https://site.test/%7Ex?b&c',
      'image https://site.test/b/n.png',
      'link https://site.test/b/drawn',
    ],
  )
  t.equal(more, 0)
  const old = Buffer.from('<a href="?q=für#ä">a</a><img src="/ü?q=ü">', 'latin1')
  t.strictSame(
    pageLinks(seen(old, 'text/html; charset=iso-8859-1'), 10).links.map(({ url }) => url),
    ['https://site.test/a/page?q=f%FCr#%C3%A4', 'https://site.test/%C3%BC?q=%FC'],
    'with queries in the encoding of the page',
  )
  const many = seen(Array.from({ length: 30 }, (_, n) => `<a href=${n}>n</a><a href=${n}>n</a>`).join(''))
  t.match(pageLinks(many, 10), { links: { length: 10 }, more: 20 })
  t.match(pageLinks(many, 10).links[9], { url: 'https://site.test/a/9' }, 'the first of them')
  t.strictSame(pageLinks(seen('{"a":"<a href=x>"}', 'application/json'), 10), { links: [], more: 0 })
  const base = `<base href="/${'b'.repeat(8000)}/">`
  const heavy = pageLinks(
    seen(base + Array.from({ length: 900 }, (_, n) => `<a href=${n}>n</a>`).join('')),
    1000,
  )
  t.ok(heavy.links.length < 300 && heavy.more === 900 - heavy.links.length, 'up to the limit of memory')
})

test('The links below a long base are counted in little memory, each once', async t => {
  type Modules = [typeof import('./seen-page.ts'), typeof import('./page-links.ts')]
  const count = (...[{ seePage }, { pageLinks }]: Modules) => {
    const links = Array.from({ length: 10_000 }, (_, n) => `<a href=${n}>n</a>`).join('')
    const body = Buffer.from(`<base href="/${'b'.repeat(8_000)}/">${links}${links}`)
    const page = { url: 'https://site.test/', status: 200, contentType: 'text/html', headers: {}, body }
    const { links: found, more } = pageLinks(seePage(page), 1_000)
    return found.length + more
  }
  const modules = ['./seen-page.ts', './page-links.ts'].map(path => new URL(path, import.meta.url))
  t.equal(await inSmallHeap(90, count, ...modules), 10_000)
})

test('An anchor exists by its id or by its name, in any encoding', async t => {
  const page =
    seen(`<h2 id=install>I</h2><a name="old name">O</a><i id="user-content-readme">R</i><b id="%41">p</b>
<b id=ümlaut>ü</b><p name=none>n</p>${'<p>words and more words'.repeat(20)}`)
  const anchors = (names: string[], isWhole = true) => fragmentAnchorsIn(page, names, isWhole)
  const there = ['install', 'old%20name', 'readme', '%41', '%C3%BCmlaut', 'ümlaut']
  t.strictSame(anchors(there), { found: there, missing: [] })
  const missing = ['Install', 'none', 'a', '%', '%zz', 'constructor']
  t.strictSame(anchors(missing), { found: [], missing })
  t.strictSame(
    anchors(['install', 'a'], false),
    { found: ['install'], missing: [] },
    'unknown on a truncated page',
  )
  const shell = seen('<body><div id="root"></div><script type="module" src="/app.js"></script>')
  t.strictSame(
    fragmentAnchorsIn(shell, ['root', 'a'], true),
    { found: ['root'], missing: [] },
    'and on a page that scripts create',
  )
  t.strictSame(fragmentAnchorsIn(seen('install', 'text/plain'), ['a'], true), { found: [], missing: [] })
})

test('Any page can be searched for links and anchors', async t => {
  const pieces = [
    '<a href=',
    '"',
    '>',
    '<base href=',
    'http://',
    '/',
    '#',
    '%',
    ' ',
    'x',
    '<img src=',
    '</a>',
    '<b id=',
  ]
  const page = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map(parts => parts.join(''))
  await fc.assert(
    fc.property(page, html => {
      const { links } = pageLinks(seen(html), 5)
      fragmentAnchorsIn(seen(html), ['a', '%'], true)
      return links.length <= 5 && links.every(({ url }) => url !== '' && url.length <= 8192)
    }),
    { numRuns: documents(100) },
  )
  t.pass()
})
