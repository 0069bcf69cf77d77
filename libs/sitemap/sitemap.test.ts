/** Sitemaps of every kind and spelling are read, up to the limits of the protocol. */

import { deepStrictEqual as deepEqual } from 'node:assert'
import { webUrl } from '@tidemark/testing/any-url'
import { codePoint } from '@tidemark/testing/code-point'
import { documents } from '@tidemark/testing/documents'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { datedSitemapSteps, readSitemap, sitemapSteps } from './sitemap.ts'

const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const urlset = (inside: string) => `<?xml version="1.0"?>\n<urlset ${namespace}>${inside}</urlset>`
const entry = (loc: string) => `<url><loc>${loc}</loc></url>`
const home = 'https://site.test'
const brokenOff = 'the part after its premature end'
const urlsOf = (text: string) => readSitemap(text).urls

test('A sitemap', async t => {
  t.same(
    readSitemap(urlset(`${entry(`${home}/1`)}<url><lastmod>2026</lastmod><loc>${home}/2</loc></url>`)),
    { what: 'urlset', urls: [`${home}/1`, `${home}/2`], sitemaps: [], cut: null },
    'lists pages, in order',
  )
  t.same(
    readSitemap(`<sitemapindex><sitemap><loc>${home}/a.xml</loc></sitemap></sitemapindex>`),
    { what: 'index', urls: [], sitemaps: [`${home}/a.xml`], cut: null },
    'or further sitemaps',
  )
  t.same(
    readSitemap(urlset(`${entry('/1')}<sitemap><loc>/a.xml</loc></sitemap>`)),
    { what: 'urlset', urls: ['/1'], sitemaps: ['/a.xml'], cut: null },
    'or both, regardless of its name',
  )
  t.same(
    readSitemap(`\ufeff\r\n ${home}/1 \r\n\n# a remark\n/relative\nHTTP://site.test/2\r${home}/3`),
    { what: 'text', urls: [`${home}/1`, 'HTTP://site.test/2', `${home}/3`], sitemaps: [], cut: null },
    'may be a text with an address on each line',
  )
  t.same(
    readSitemap(
      `<rss version="2.0" xmlns:atom="a"><channel><link>${home}/</link><atom:link href="${home}/self"/>
       <item><title>1</title><atom:link href="/x"/><link>${home}/1</link><guid>7</guid></item>
       <item><link><![CDATA[${home}/2?a&b]]></link></item><item><title>none</title></item></channel></rss>`,
    ),
    { what: 'feed', urls: [`${home}/1`, `${home}/2?a&b`], sitemaps: [], cut: null },
    'may be RSS',
  )
  t.same(
    readSitemap(
      `<feed xmlns="http://www.w3.org/2005/Atom"><link href="${home}/"/><entry><link rel="self" href="/self"/>
       <link rel='alternate' type="text/html" href='${home}/1?a=1&amp;b=2'/><link href="/late"/></entry>
       <entry><link href="${home}/2"></link></entry></feed>`,
    ),
    { what: 'feed', urls: [`${home}/1?a=1&b=2`, `${home}/2`], sitemaps: [], cut: null },
    'may be Atom',
  )
  for (const [what, text] of Object.entries({
    'an empty text': '',
    blanks: ' \n\t',
    'a page': `<!doctype html><html><body><url><loc>${home}/1</loc></url>`,
    'a text': 'Not found',
    JSON: `{"urlset": "${home}"}`,
    'another vocabulary': `<note><url><loc>${home}/1</loc></url></note>`,
    'a name of the language': `<constructor><url><loc>${home}/1</loc></url></constructor>`,
  }))
    t.same(readSitemap(text), { what: 'unknown', urls: [], sitemaps: [], cut: null }, `is not ${what}`)
})

test('An address', async t => {
  const one = (inside: string) => urlsOf(urlset(`<url>${inside}</url>`))
  t.same(one('<loc>\n  /a \t</loc>'), ['/a'], 'is trimmed')
  t.same(one('<loc>/a?b&c=&d;&amp;e</loc>'), ['/a?b&c=&d;&e'], 'may have a bare ampersand')
  t.same(
    one('<loc>/&lt;&gt;&quot;&apos;&#65;&#x42;&#0;&#xD800;&#x110000;&AMP;</loc>'),
    ['/<>"\'AB\ufffd\ufffd\ufffd&AMP;'],
    'is decoded by the rules of XML',
  )
  t.same(one('<loc>/a?x=&amp;lt;</loc>'), ['/a?x=&lt;'], 'is decoded once')
  t.same(
    one('<loc><![CDATA[ /a?b&amp;c ]]></loc>'),
    ['/a?b&amp;c'],
    'may be a CDATA section, which is not decoded',
  )
  t.same(one('<loc>/a<![CDATA[/b]]>/&#99;<!-- no --></loc>'), ['/a/b/c'], 'may be in pieces')
  t.same(one('<loc></loc><loc/><loc>/a</loc><loc>/b</loc>'), ['/a'], 'is the first non-empty one')
  t.same(one(`<loc>/${'x'.repeat(8192)}</loc>`), [], 'has a maximum length')
  t.same(
    one(
      '<image:image><image:loc>/i</image:loc><loc>/j</loc></image:image><image:loc>/k</image:loc><video:url>/v</video:url><loc>/a</loc>',
    ),
    ['/a'],
    'is not an image or video',
  )
  t.same(
    urlsOf(urlset(`<loc>/out</loc>${entry('/a')}<x>${entry('/b')}</x>`)),
    ['/a', '/b'],
    'belongs to an entry',
  )
  t.same(
    urlsOf(
      `<sm:urlset xmlns:sm="x"><sm:url><loc>/other</loc><sm:loc a="<loc>">/a</sm:loc></sm:url><url><loc>/b</loc></url></sm:urlset>`,
    ),
    ['/a'],
    'has the prefix of the root element',
  )
  t.same(
    urlsOf(
      urlset('<url><loc>/a<url><loc>/b</url><url></loc><loc>/c</loc><url><foo><loc>/lost</loc></url>') +
        entry('/d'),
    ),
    ['/a', '/b', '/c'],
    'is found despite unclosed elements, unless it is ambiguous',
  )
})

test('A truncated sitemap is reported, and incomplete addresses are discarded', async t => {
  const whole = urlset(entry('/a') + entry('/b?x=<![CDATA[y]]>&amp;z'))
  const ends = whole.indexOf('</urlset>')
  const second = whole.indexOf('</loc>', whole.indexOf('/b'))
  for (let end = whole.indexOf('>', whole.indexOf('<urlset')) + 1; end < ends + 9; end++) {
    const { urls, cut } = readSitemap(whole.slice(0, end))
    const isWhole = (at: number) => end >= at + 6
    const expected = [
      ...(isWhole(whole.indexOf('</loc>')) ? ['/a'] : []),
      ...(isWhole(second) ? ['/b?x=y&z'] : []),
    ]
    t.same([urls, cut], [expected, brokenOff], whole.slice(0, end))
  }
  t.same(readSitemap('<sitemapindex><sitemap><loc>/a.xml</loc></sitemap><sitemap><loc>/b.x'), {
    ...{ what: 'index', urls: [], sitemaps: ['/a.xml'], cut: brokenOff },
  })
  t.same(readSitemap('<feed><entry><link href="/a"/></entry><entry><link href="/b').urls, ['/a'])
  t.same(
    [readSitemap(whole).cut, readSitemap('<urlset/>').cut],
    [null, null],
    'complete sitemaps are not reported',
  )
})

test('Hostile XML is harmless', async t => {
  const bomb = [...'abcdefghij'].map(
    (name, at, all) => `<!ENTITY ${name} "${`&${all[at - 1] ?? 'lol'};`.repeat(10)}">`,
  )
  const declared = `<!DOCTYPE urlset [${bomb.join('')}<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "http://evil.test/">%p;
    <!ENTITY x "<urlset><url><loc>/x</loc></url></urlset>"><!ELEMENT urlset (url+)>]>`
  t.same(
    readSitemap(`<?xml version="1.0"?>${declared}${urlset(entry('/a') + entry('/&j;') + entry('&f;'))}`).urls,
    ['/a', '/&j;', '&f;'],
    'its own entities neither expand nor read files',
  )
  t.same(
    urlsOf(`<!DOCTYPE urlset SYSTEM "http://evil.test/x.dtd">${urlset(entry('/a'))}`),
    ['/a'],
    'nor does an external DTD',
  )

  const many = sized(300_000, 1_000_000)
  const texts: Record<string, string> = {
    'deep nesting': urlset(entry('/a') + '<x>'.repeat(many)),
    'deep nesting in an address': urlset(`${entry('/a')}<url><loc>${'<loc>'.repeat(many)}`),
    'entries in entries': urlset(entry('/a') + '<url>'.repeat(many)),
    'only ends': urlset(entry('/a') + '</x>'.repeat(many)),
    'an address without end': urlset(`${entry('/a')}<url><loc>${'&amp;'.repeat(many)}`),
    'pieces of an address': urlset(`${entry('/a')}<url><loc>${'<![CDATA[x]]>&'.repeat(many / 4)}`),
    attributes: urlset(`${entry('/a')}<url><loc ${'href="x" '.repeat(many / 2)}>`),
    'an open attribute': urlset(`${entry('/a')}<url><loc href="${'x'.repeat(many)}`),
    'an open comment': urlset(`${entry('/a')}${'<!--'.repeat(many)}`),
    'open sections': urlset(`${entry('/a')}${'<![CDATA['.repeat(many)}`),
    ampersands: urlset(`${entry('/a')}<url><loc>${'&'.repeat(many)}`),
    declarations: `${'<!DOCTYPE ['.repeat(many / 4)}`,
  }
  for (const [what, text] of Object.entries(texts)) {
    const started = process.cpuUsage()
    const { urls } = readSitemap(text)
    t.ok(urls.length <= 1 && process.cpuUsage(started).user < 3_000_000, `${what}: costs little`)
  }
})

test('The limits', async t => {
  const list = Array.from({ length: 60_000 }, (_, n) => `${home}/a/rather/long/path/to/some/page/${n}`)
  const { cut, urls } = readSitemap(urlset(list.map(entry).join('')))
  t.same([urls.length, cut], [50_000, 'more than 50000 addresses'], 'of pages')
  t.same(urls, list.slice(0, 50_000))
  const full = readSitemap(urlset(list.slice(0, 50_000).map(entry).join('')))
  t.same([full.urls.length, full.cut], [50_000, null], 'the maximum itself is read completely')
  const lines = readSitemap(list.join('\n'))
  t.same([lines.urls.length, lines.cut], [50_000, 'more than 50000 addresses'], 'of lines')
  const index = readSitemap(`<sitemapindex>${'<sitemap><loc>/a</loc></sitemap>'.repeat(50_001)}`)
  t.same([index.sitemaps.length, index.cut], [50_000, 'more than 50000 sitemaps'], 'of sitemaps')

  const megabyte = `<!--${'x'.repeat(2 ** 20 - 7)}-->`
  const large = readSitemap(urlset(entry('/a') + megabyte.repeat(60) + entry('/b')))
  t.same(
    large,
    { what: 'urlset', urls: ['/a'], sitemaps: [], cut: 'the part after the first 50 MB' },
    'of bytes',
  )
  const blank = readSitemap(`${home}/a${'\n'.repeat(60 * 2 ** 20)}${home}/b`)
  t.same(blank, { what: 'text', urls: [`${home}/a`], sitemaps: [], cut: 'the part after the first 50 MB' })
})

test('Any text', async t => {
  const piece = fc.constantFrom(
    ...'<url>¦</url>¦<loc>¦</loc>¦<urlset>¦</urlset>¦<sitemap>¦<rss>¦<feed>¦<item>¦<entry>¦<link>¦<link href="¦"/>¦&¦&amp;¦&#¦;¦<![CDATA[¦]]>¦<!--¦-->¦<!DOCTYPE x [¦]>¦<?¦?>¦<¦>¦http://x/¦\n¦\ufeff¦\ud800'.split(
      '¦',
    ),
  )
  const soup = fc.array(fc.oneof({ weight: 5, arbitrary: piece }, fc.string({ unit: codePoint })), {
    maxLength: 50,
  })
  const total = fc.property(soup, pieces => {
    const { what, urls, sitemaps, cut } = readSitemap(pieces.join(''))
    return (
      typeof what === 'string' &&
      (cut === null || cut === brokenOff) &&
      [...urls, ...sitemaps].every(url => url.trim() === url && url !== '')
    )
  })
  t.doesNotThrow(() => fc.assert(total, { numRuns: documents(300) }), 'is read without an error')

  const address = webUrl({ withQueryParameters: true, withFragments: true, size: 'medium' })
  const blank = fc.constantFrom('', ' ', '\n\t', '<!-- & -->', '<?pi <loc> ?>')
  const escapeOf: Record<string, string> = { '&': '&amp;', "'": '&#39;', '<': '&lt;', '"': '&#x22;' }
  const written = fc.tuple(address, blank, blank, fc.boolean()).map(([url, before, after, asData]) => ({
    url,
    text: asData
      ? `<url>${before}<loc><![CDATA[${url}]]></loc>${after}</url>${before}`
      : `<url><x:y>${before}</x:y><loc>${before}${url.replace(/[&'<"]/g, c => escapeOf[c] ?? c)}${after}</loc></url>${after}`,
  }))
  const whole = fc.property(fc.array(written, { maxLength: 40 }), entries => {
    const text = urlset(entries.map(({ text }) => text).join(''))
    deepEqual(
      urlsOf(text),
      entries.map(({ url }) => url),
    )
  })
  t.doesNotThrow(
    () => fc.assert(whole, { numRuns: sized(150, 500) }),
    'that was written from addresses returns them',
  )

  const list = Array.from({ length: 20_000 }, (_, n) => `${home}/?n=${n}&é=<${n}>`)
  const long = urlset(
    list
      .map((url, n) =>
        entry(n % 2 ? `<![CDATA[${url}]]>` : url.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
      )
      .join(''),
  )
  t.same(urlsOf(long), list, 'longer than a step is read completely, wherever the steps split it')
  const steps = [...sitemapSteps(long)]
  t.ok(steps.length > 3, 'and pauses between steps')
})

test('Dates of change', async t => {
  const datesOf = (text: string) => {
    const steps = datedSitemapSteps(text)
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value.urls.map((url, n) => [url, value.dates[n]])
    }
  }
  const entries =
    '<url><loc>/a</loc><lastmod> 2026-01-02 </lastmod></url><url><loc>/b</loc></url>' +
    '<url><lastmod><![CDATA[2026-01-03T04:05:06Z]]></lastmod><loc>/c</loc></url>' +
    '<url><loc>/d</loc><x:lastmod>2020</x:lastmod><deep><lastmod>2021</lastmod></deep></url>' +
    '<url><lastmod>2022</lastmod></url><url><loc>/e</loc></url>'
  t.same(
    datesOf(`<urlset>${entries}</urlset>`),
    [
      ['/a', '2026-01-02'],
      ['/b', undefined],
      ['/c', '2026-01-03T04:05:06Z'],
      ['/d', undefined],
      ['/e', undefined],
    ],
    'belong only to their own pages',
  )
  t.same(
    datesOf('<feed><entry><link href="/a"/><updated>2026-01-02T00:00:00Z</updated></entry></feed>'),
    [['/a', '2026-01-02T00:00:00Z']],
    'are the updates of an Atom feed',
  )
  t.same(datesOf(`<urlset><url><loc>/a</loc><lastmod>${'9'.repeat(99)}</lastmod></url></urlset>`), [
    ['/a', '9'.repeat(64)],
  ])
  t.same(datesOf('<urlset><url><loc>/a</loc><lastmod>2026-1'), [['/a', undefined]], 'are never incomplete')
})

test('Elements of extensions', async t => {
  const extrasOf = (text: string) => {
    const steps = datedSitemapSteps(text)
    for (;;) {
      const { done, value } = steps.next()
      if (done) return { ...value.extras, urls: value.urls }
    }
  }
  const page =
    '<url><loc>/a</loc><image:image><image:loc>/1.png</image:loc><image:link/></image:image><i:image/>' +
    '<video:video><video:content_loc>/v.mp4</video:content_loc><video:image/></video:video>' +
    '<xhtml:link rel="alternate" hreflang="de" href="/de"/><xhtml:link rel="alternate" hreflang="en" href="/en"/></url>'
  t.same(
    extrasOf(urlset(page + entry('/b'))),
    { images: 2, videos: 1, alternates: 2, urls: ['/a', '/b'] },
    'are counted regardless of their prefix, and none of them is a page',
  )
  t.same(
    extrasOf(
      `<s:urlset><s:url><s:loc>/a</s:loc><s:image/><s:link/><image/></s:url><image:image/></s:urlset>`,
    ),
    { images: 0, videos: 0, alternates: 0, urls: ['/a'] },
    'have another prefix than the sitemap, and belong to an entry',
  )
})
