/** URLs that a page gives to its run, and URLs that it only shows. */
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { binaryFiles } from '@tidemark/html/binary-files.examples'
import { inOldCharsets, undeclaredPage } from '@tidemark/html/charsets.examples'
import { test } from 'tap'
import { contentOf, openPage } from './content.ts'
import { factsOf } from './facts.examples.ts'

const page: FetchedPage = {
  runId: 1,
  key: 'AAAAAAAAAAA',
  attempt: 1,
  url: 'https://site.test/dir/page',
  scope: { host: 'site.test', subdomains: false },
  storeHtml: true,
  status: 200,
  contentType: 'text/html',
  encodings: [],
  robotsHeader: null,
  fetchedAt: '2026-01-02T03:04:05.678Z',
  elapsedMs: 1,
  bulkyKey: null,
}
const facts = (html: string, more: Partial<FetchedPage> = {}) =>
  factsOf({ ...page, ...more }, Buffer.from(html), 'hash', 'tidemark')
const followed = (html: string, more: Partial<FetchedPage> = {}) =>
  facts(html, more).links.map(([, url]) => url.replace('https://site.test', ''))

test('A page of XML', async t => {
  const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="de"><script src='/x.js'/><iframe title="a > b"/>
    <title/><br/><p><a id="x"/><a href="/a">b</a></p></html>`
  const contentType = 'application/xhtml+xml; charset=utf-8'
  t.strictSame(followed(xhtml, { contentType }), ['/a'], 'has elements without an end tag')
  t.match(facts(xhtml, { contentType }), { metadata: { lang: 'de' }, edges: [{ anchor: 'b' }] })
  t.strictSame(followed(xhtml), [], 'which HTML has not')
})

test('A page', async t => {
  const disowning = '<a href=/a>a</a><a href=/b rel="ugc NOFOLLOW">b</a><area href=/c rel=nofollow>'
  t.same(
    followed(disowning),
    ['/a'],
    'gives no rel=nofollow link to the run, because its owner excludes crawlers',
  )
  t.same(
    facts(disowning).edges.map(({ nofollow }) => nofollow),
    [false, true, true],
    'but shows it as an edge',
  )
  t.same(followed(`${disowning}<a href=/b>again</a>`), ['/a', '/b'], 'gives one that it links without, too')

  for (const header of ['nofollow', 'noindex, NONE', 'otherbot: noindex, tidemark: nofollow'])
    t.same(followed(disowning, { robotsHeader: header }), [], `gives none with X-Robots-Tag: ${header}`)
  for (const name of ['otherbot', 'otherbot/2.0', 'other bot', 'other.bot'])
    t.same(
      followed(disowning, { robotsHeader: `${name}: noindex, nofollow` }),
      ['/a'],
      `unless it names other crawlers: ${name}`,
    )
  for (const content of ['nofollow', 'NONE', 'index,nofollow'])
    t.same(
      followed(`<meta name=Robots content="${content}">${disowning}`),
      [],
      `gives none with meta ${content}`,
    )

  for (const [name, links] of [
    ['Tidemark', []],
    ['googlebot', ['/a']],
  ] as const)
    t.same(
      followed(`<meta name=${name} content="noindex, NoFollow">${disowning}`),
      links,
      `obeys a meta for its own name only: ${name}`,
    )

  const canonical = (href: string) => `<link rel=canonical href="${href}"><a href=/a>a</a>`
  t.same(followed(canonical('/main?utm_source=x#y')), ['/a', '/main'], 'gives its canonical URL, once')
  t.same(followed(canonical('/a')), ['/a'], 'not again when it links there')
  t.same(followed(canonical('?utm_source=x')), ['/a'], 'not for its own URL')
  t.same(followed(canonical('https://elsewhere.test/')), ['/a'], 'not when it is out of scope')
  t.same(
    followed(`<meta name=robots content=nofollow>${canonical('/b')}`),
    [],
    'not when nothing may be followed',
  )
  t.equal(facts(canonical('/main')).metadata.canonical, 'https://site.test/main')

  t.same(
    followed('<meta http-equiv=refresh content="0;url=next"><a href=/a>'),
    ['/a', '/dir/next'],
    'gives the target of a refresh',
  )
  t.same(
    followed('<meta http-equiv=refresh content="5"><a href=/a>'),
    ['/a'],
    'unless it only reloads itself',
  )
  t.same(
    followed('<meta http-equiv=refresh content="0;url=javascript:x"><a href=/a>'),
    ['/a'],
    'or has no target',
  )

  const unread = facts('<a href=/a>', { contentType: 'application/pdf' })
  t.match(unread, {
    title: null,
    links: { length: 0 },
    edges: { length: 0 },
    rawHash: 'hash',
    contentHash: 'hash',
    charset: null,
  })
})

test('A page without a declared encoding gives its run its text', async t => {
  for (const example of inOldCharsets) {
    const { title, charset } = example
    t.match(factsOf(page, undeclaredPage(example), 'hash', 'tidemark'), {
      title,
      charset,
      metadata: { title },
    })
  }
})

test('A page in an old encoding gives its run links with queries in this encoding', async t => {
  const contentType = 'text/html; charset=iso-8859-1'
  const links = (html: string) =>
    factsOf({ ...page, contentType }, Buffer.from(html, 'latin1'), 'hash', 'tidemark')
  t.match(links('<a href="/für?q=für">x</a>'), {
    links: [[String, 'https://site.test/f%C3%BCr?q=f%FCr']],
    edges: [{ href: 'https://site.test/f%C3%BCr?q=f%FCr' }],
  })
  t.match(links('<base href="/b/"><a href="?q=ü">x</a>'), { links: [[String, 'https://site.test/b/?q=%FC']] })

  const { url, status } = page
  const wanted = { html: false, markdown: null, article: false, signals: false, anchors: true }
  const body = Buffer.from('<a href="?q=für">x</a>', 'latin1')
  const open = openPage({ url, status, contentType, headers: {}, body, wanted })
  const { anchors } = contentOf(open, { guessed: null, commonmark: null })
  t.match(anchors, [{ to: 'https://site.test/dir/page?q=f%FCr' }], 'as a scan shows them')
})

test('A file that is not text gives its run only its bytes', async t => {
  for (const [type, body] of binaryFiles) {
    const honest = factsOf({ ...page, contentType: type }, body, 'hash', 'tidemark')
    t.match(honest, {
      title: null,
      likeness: null,
      links: { length: 0 },
      edges: { length: 0 },
      contentHash: 'hash',
    })
    for (const contentType of ['text/html', 'text/html; charset=utf-8', null])
      t.same(factsOf({ ...page, contentType }, body, 'hash', 'tidemark'), honest, `${type} as ${contentType}`)
  }
})

test('The main content of a page whose text only its JSON-LD has', t => {
  const lines = ['The tide comes twice a day. ', 'The moon pulls the sea. '].map(line =>
    line.repeat(6).trim(),
  )
  const data = JSON.stringify({ '@type': 'NewsArticle', headline: 'Tides', articleBody: lines.join('\n') })
  const html = `<title>Tides</title><script type="application/ld+json">${data}</script><h1>Tides</h1><div id=root></div>`
  const wanted = { html: false, markdown: 'main', article: false, signals: false, anchors: false } as const
  const request = {
    url: page.url,
    status: 200,
    headers: {},
    contentType: 'text/html',
    body: Buffer.from(html),
  }
  const { markdown } = contentOf(openPage({ ...request, wanted }), { guessed: null, commonmark: null })
  t.equal(markdown, `# Tides\n\n${lines.join('\n\n')}\n`, 'has the text under its headline')
  t.end()
})
