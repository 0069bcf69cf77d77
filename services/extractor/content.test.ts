/** The content of pages in every form, and the thread that creates it. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tidemark/bus/refusal'
import { type Content, Content as ContentSchema, nothing, type Wanted } from '@tidemark/contracts/rpc/content'
import { binaryFiles, textsLikeFiles } from '@tidemark/html/binary-files.examples'
import { inOldCharsets, undeclaredPage } from '@tidemark/html/charsets.examples'
import { documents } from '@tidemark/testing/documents'
import { measured } from '@tidemark/testing/processor-time'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { type ContentThread, createContentThread, type ThreadAnswer } from './adapters/content-thread.ts'
import { withSmallPages } from './adapters/small-pages.ts'
import { createThread, ThreadTerminated } from './concurrency/thread.ts'
import type { ContentRequest } from './domain/content-request.ts'
import { factsOf } from './domain/facts.ts'
import { makeContent } from './handlers/make-content.ts'

const url = 'https://site.test/a/'
const html = 'text/html; charset=utf-8'
const everything: Wanted = {
  ...{ html: true, markdown: 'page', article: true, signals: true, anchors: true },
  ...{ text: true, commonmark: true },
}

type More = { type?: string | null; status?: number; headers?: Record<string, string>; wanted?: Wanted }

const requested = (body: string | Uint8Array, more: More = {}): ContentRequest => {
  const { type = html, status = 200, headers = {}, wanted = everything } = more
  return { url, status, contentType: type, headers, body: Buffer.from(body), wanted }
}

const readMade = async (made: Promise<ThreadAnswer>): Promise<Content> =>
  JSON.parse(Buffer.from((await made).json).toString())

/** Also asserts what every content must satisfy. */
async function read(body: string | Uint8Array, more: More = {}): Promise<Content> {
  const request = requested(body, more)
  const { content } = await makeContent(request)
  if (!Check(ContentSchema, JSON.parse(JSON.stringify(content))))
    throw new Error('the content violates the contract')
  if (content.bytes !== request.body.byteLength) throw new Error('the number of bytes is wrong')
  return content
}

const page = `<!doctype html><html lang=en><head><title>Tides</title><meta name=description content="Of water">
<link rel=canonical href=/tides><meta property=og:title content="The tides"><meta name=twitter:card content=summary>
<script type="application/ld+json">{"@type":"Article","headline":"Tides"}</script></head><body>
<nav><a href=/home>Home</a></nav><main><h1>Tides</h1><p>High water comes <a href="twice?a=1" rel=nofollow>twice</a>
a day, and <b>low water</b> in between; whoever lives at the coast knows it by heart.</p><img src=m.png alt=Moon></main>
<footer>Imprint <a href="https://elsewhere.test/">else</a></footer></body></html>`

test('The content of a page', async t => {
  await t.test('is returned in every requested form', async t => {
    const content = await read(page)
    t.match(content, {
      metadata: {
        title: 'Tides',
        description: 'Of water',
        canonical: 'https://site.test/tides',
        lang: 'en',
        og: { title: 'The tides' },
        twitter: { card: 'summary' },
        json_ld: [{ '@type': 'Article', headline: 'Tides' }],
      },
      contentType: html,
      challenge: null,
      html: page,
      signals: {
        title: 'Tides',
        lang: 'en',
        h1: ['Tides'],
        jsonld_types: ['Article'],
        links: { internal: 2, external: 1, nofollow: 1, total: 3 },
      },
      warnings: { length: 0 },
    })
    t.match(content.markdown, /^# Tides$/m)
    t.match(content.markdown, /\[twice\]\(https:\/\/site\.test\/a\/twice\?a=1\)/)
    t.match(content.markdown, /\*\*low water\*\*/)
    t.match(content.markdown, /Imprint/, 'the whole page')
    t.match(content.article?.text, /High water comes twice/)
    t.notMatch(content.article?.text, /Imprint|Home/)
    t.match(content.article?.html, /<b>|<strong>/)
    t.strictSame(content.anchors, [
      { to: 'https://site.test/home', anchor: 'Home', rel: null, nofollow: false },
      { to: 'https://site.test/a/twice?a=1', anchor: 'twice', rel: 'nofollow', nofollow: true },
      { to: 'https://elsewhere.test/', anchor: 'else', rel: null, nofollow: false },
    ])
  })

  await t.test('has every wanted part, and only these', async t => {
    const parts: [Partial<Wanted>, (keyof Content)[]][] = [
      [{}, []],
      [{ html: true }, ['html']],
      [{ markdown: 'page' }, ['markdown']],
      [{ markdown: 'main' }, ['markdown']],
      [{ markdown: 'page', chunks: { max_tokens: 64 } }, ['markdown', 'chunks']],
      [{ article: true }, ['article']],
      [{ signals: true }, ['signals']],
      [{ anchors: true }, ['anchors']],
      [{ text: true }, ['text']],
      [{ commonmark: true }, ['commonmark']],
      [{ extract: { h: { selector: 'h1' } } }, ['extracted']],
      [{ schema: { type: 'object', properties: { a: {} } } }, ['extraction']],
      [everything, ['html', 'markdown', 'article', 'signals', 'anchors', 'text', 'commonmark']],
    ]
    const always = ['contentHash', 'rawHash', 'bytes', 'contentType', 'metadata', 'challenge', 'warnings']
    for (const [some, expected] of parts) {
      const wanted = { ...nothing, ...some }
      for (const [body, type] of [
        [page, html],
        ['{}', 'application/json'],
        ['', null],
      ] as const) {
        const content = await read(body, { type, wanted })
        const keys = Object.keys(content).filter(key => Reflect.get(content, key) !== undefined)
        t.strictSame(keys.sort(), [...always, ...expected].sort(), `${type} ${JSON.stringify(some)}`)
      }
    }
  })

  await t.test('is read by a JSON Schema on request', async t => {
    const schema = {
      type: 'object',
      properties: {
        headline: { type: 'string', pattern: '^T' },
        title: { type: 'string', 'x-selector': 'h1', maxLength: 2 },
        pages: { type: 'integer' },
      },
      required: ['headline', 'pages'],
    }
    const { extraction, warnings } = await read(page, { wanted: { ...nothing, schema } })
    t.strictSame(extraction, {
      data: { headline: 'Tides', title: 'Tides', pages: null },
      fields: [
        { path: '/headline', from: 'jsonld', where: 'json_ld[0].headline' },
        { path: '/title', from: 'selector', where: 'h1' },
      ],
      valid: false,
      errors: [
        { path: '', message: "must have required property 'pages'" },
        { path: '/title', message: 'must NOT have more than 2 characters' },
      ],
    })
    t.strictSame(warnings, ['no value for /pages was found'])
    const plain = await read('{}', { type: 'application/json', wanted: { ...nothing, schema } })
    t.match(plain.extraction, { data: { headline: null, title: null, pages: null }, valid: false })
  })

  await t.test('has its Markdown in chunks on request', async t => {
    const text = '<p>The tide turns twice a day. '.repeat(20)
    const body = `<h1>Tides</h1><p>Intro.</p><h2>Ebb</h2>${text}<h2>Flood</h2>${text}`
    const chunks = { max_tokens: 64, overlap: 16 }
    const content = await read(body, { wanted: { ...nothing, markdown: 'page', chunks } })
    const { markdown = '' } = content
    const made = content.chunks ?? []
    t.ok(made.length > 5 && made.every(({ tokens }) => tokens > 0 && tokens <= 64))
    t.ok(made.every(({ text, start, end }) => text === markdown.slice(start, end)))
    t.strictSame(
      [...new Set(made.map(({ heading_path }) => heading_path.join('/')))],
      ['Tides', 'Tides/Ebb', 'Tides/Flood'],
    )
    t.ok(
      made.some(({ start }, n) => start < (made[n - 1]?.end ?? 0)),
      'with an overlap',
    )
    t.equal(made.at(-1)?.end, markdown.length)
    const many = await read('<h1>a</h1>'.repeat(10_001), {
      wanted: { ...nothing, markdown: 'page', chunks: { max_tokens: 64 } },
    })
    t.equal(many.chunks?.length, 10_000)
    t.match(many.warnings, ['chunks are limited to the first 10000'])
  })

  await t.test('has no boilerplate if only the main content is requested', async t => {
    const { markdown = '' } = await read(page, { wanted: { ...nothing, markdown: 'main' } })
    t.match(markdown, /High water comes/)
    t.notMatch(markdown, /Imprint|Home/)
  })

  await t.test('has its article as Markdown on request', async t => {
    const { article } = await read(page, { wanted: { ...nothing, article: true, articleFormat: 'markdown' } })
    t.match(article?.markdown, /\[twice\]\(https:\/\/site\.test\/a\/twice\?a=1\)/)
    t.match(article?.markdown, /High water comes/)
    t.notMatch(article?.markdown, /Imprint|Home/)
    t.equal(article?.html, '')
  })

  await t.test('is plain text as a reader sees it', async t => {
    const cases: [html: string, text: string][] = [
      [
        '<h1>A  <em>head</em>\nline</h1><p>Some <b>bo</b>ld text<br>goes on.</p>',
        'A head line\n\nSome bold text\ngoes on.',
      ],
      [
        '<ul><li>one<li>two <a href=x>linked</a><ol><li>three</ol></ul>after',
        'one\ntwo linked\n\nthree\n\nafter',
      ],
      ['<table><tr><th>A<th>B<tr><td>1<td>2 3</table>', 'A\tB\n1\t2 3'],
      [
        '<table><tr><td>Ann<td>5<td></td><td>7</tr><tr><td>Bob<td> </td><td></td><td>9<td></tr></table>x',
        'Ann\t5\t\t7\nBob\t\t\t9\n\nx',
      ],
      ['<table><tr><th><th>A<th>B<tr><td><td><p>1</p><td>2</table>', '\tA\tB\n\n\t1\n\n2'],
      ['<table><tr><td>a<td><td><tr><td><td><tr><td>b <i>c</i> d<td>e</table>', 'a\nb c d\te'],
      ['<pre>a\n  b\n\n</pre><p>c', 'a\n  b\n\nc'],
      ['<div>a</div><div>b</div>', 'a\nb'],
      ['a<br><br><br><br>b', 'a\n\nb'],
      [
        '<p hidden>no<p style="display: none">no<script>no</script><svg><text>no</text></svg><p aria-hidden=true>no<p>yes',
        'yes',
      ],
      ['<div aria-hidden=true><main>yes</main></div><div role=dialog>cookies</div>', 'yes\n\ncookies'],
      ['<h1>yes</h1><div class=mini-cart aria-hidden=true><h1>no</h1></div>', 'yes'],
      ['<html style="visibility:hidden"><body style="display:none">yes', 'yes'],
      ['<p>*star* _x_ # [a](b) &lt;p&gt;', '*star* _x_ # [a](b) <p>'],
      ['a<constructor>b</constructor>c', 'a\n\nb\n\nc'],
      ['', ''],
    ]
    for (const [html, text] of cases)
      t.equal((await read(html, { wanted: { ...nothing, text: true } })).text, text, html)
    const json = await read('{"a": "ü"}', { type: 'application/json', wanted: { ...nothing, text: true } })
    t.equal(json.text, '{"a": "ü"}', 'and other types stay as they are')
  })

  await t.test('is CommonMark without anything of GFM', async t => {
    const commonmarkOf = async (html: string) =>
      (await read(html, { wanted: { ...nothing, commonmark: true } })).commonmark
    const cases: [html: string, commonmark: string][] = [
      [
        '<h1>A <em>head</em></h1><p>Some <b>bold </b>text.<br>On',
        '# A *head*\n\nSome **bold** text.  \nOn\n',
      ],
      ['<a href=b?c=1 title="A t">link</a> <a>none</a>', '[link](https://site.test/a/b?c=1 "A t") none\n'],
      ['<base href=/deep/><img src=i.png alt="pic [1]">', '![pic \\[1\\]](https://site.test/deep/i.png)\n'],
      ['<ul><li>one<li>two<ul><li>three</ul></ul>', '- one\n- two\n  - three\n'],
      ['<ol start=9><li>nine<li><p>ten</p><p>more</p></ol>', '9. nine\n10. ten\n\n    more\n'],
      ['<ul><li>a<ol start=3><li>b</ol></ul>', '- a\n\n  3. b\n'],
      ['<blockquote><p>a<blockquote>b</blockquote></blockquote>', '> a\n> \n> > b\n'],
      ['<pre><code class="language-js">let a\n\nb</code></pre>', '```js\nlet a\n\nb\n```\n'],
      ['<pre>a ``` b\n  c\n</pre>', '````\na ``` b\n  c\n````\n'],
      ['a <code>b`c</code> <code> d </code> <code>`</code>', 'a ``b`c`` `d` `` ` ``\n'],
      ['<table><tr><td>1<td>2</table><del>gone</del>', '1\n\n2\n\ngone\n'],
      ['1. *a* _b_ # [c]<p># d', '1\\. \\*a\\* \\_b\\_ # \\[c\\]\n\n\\# d\n'],
      [
        'a &lt;b&gt; < c &amp;amp; &amp;#9; R&D &lt;<i>!--</i> <code>&lt;d&gt;</code>',
        'a \\<b> < c \\&amp; \\&#9; R&D \\<*!--* `<d>`\n',
      ],
      ['a<details open><summary>b</summary>c</details>d', 'a\n\nb\n\nc\n\nd\n'],
      ['<p hidden>no<script>no</script><p>yes', 'yes\n'],
      ['<a href="javascript:x()">a</a><hr>b', 'a\n\n---\n\nb\n'],
      ['a <constructor>b</constructor> c', 'a b c\n'],
      ['', ''],
    ]
    for (const [html, commonmark] of cases) t.equal(await commonmarkOf(html), commonmark, html)
    const part = sized(0.25, 1)
    const hostile: Record<string, string> = {
      'quotes in quotes': '<blockquote>'.repeat(600) + '<p>x'.repeat(90_000 * part),
      'lists in lists': '<ul><li>'.repeat(600) + '<p>x'.repeat(50_000 * part),
      'inline elements in each other': '<b><i>'.repeat(600) + 'x '.repeat(500_000 * part),
      'a long list': `<ol>${'<li>x'.repeat(90_000 * part)}`,
      'a long list with white space': `<ul>${'<li> x </li>\n'.repeat(40_000 * part)}`,
      'empty elements': '<p><b></b></p>'.repeat(30_000 * part),
      'white space in code': `<pre>${' '.repeat(1e6 * part)}x</pre>`,
      'spaces that do not break': `<p>${'\u00a0'.repeat(1e6 * part)}x`,
      'a code without end': `<code> ${'x'.repeat(1e6 * part)}`,
      'ticks in a code': `<code>${'` '.repeat(1e6 * part)}`,
      marks: '*_[#>-'.repeat(4e5 * part),
      'line ends in a title': `<a href=x title="${'\n'.repeat(1e6 * part)}">x</a>`,
    }
    for (const [name, html] of Object.entries(hostile)) {
      const { result, processorMs } = await measured(() => commonmarkOf(html))
      t.type(result, 'string', name)
      t.ok(processorMs < 20_000 * part, `${name} in ${processorMs} ms`)
    }
  })

  await t.test('has the hashes that a crawl would store', async t => {
    for (const [body, type] of [
      [page, html],
      ['{"a":1}', 'application/json'],
      ['', html],
      [Buffer.from('<title>Gr\xfc\xdfe</title>', 'latin1'), null],
    ] as const) {
      const bytes = Buffer.from(body)
      const { rawHash, contentHash, metadata } = await read(body, { type })
      const scope = { host: 'site.test', subdomains: false }
      const described = { url, scope, status: 200, contentType: type, robotsHeader: null }
      const steps = factsOf(described, bytes, rawHash, 'tidemark')
      let step = steps.next()
      while (!step.done) step = steps.next()
      t.strictSame(
        { rawHash, contentHash, title: metadata.title },
        {
          rawHash: step.value.rawHash,
          contentHash: step.value.contentHash,
          title: step.value.title,
        },
      )
    }
  })

  await t.test('has the values of selectors', async t => {
    const body = `<base href=/deep/><h1 id=top data-n=1>The <b>head</b></h1><ul><li class=p>1 €</li><li class=p>2 €</li></ul>
      <a href=x>one</a><a href="//cdn.test/y">two</a><a name=z>three</a><img src="i.png"><time datetime=2026-01-02>then</time>`
    const extract: NonNullable<Wanted['extract']> = {
      head: { selector: 'h1' },
      'pri-ces': { selector: '.p', all: true },
      first: { selector: 'li' },
      hrefs: { selector: 'a', attr: 'href', all: true },
      image: { selector: 'img', attr: 'SRC' },
      when: { selector: 'time[datetime^="2026"]', attr: 'datetime' },
      none: { selector: '.nothing' },
      nones: { selector: '.nothing', all: true },
      bare: { selector: 'h1', attr: 'title' },
      constructor: { selector: 'h1', attr: 'constructor' },
      proto: { selector: '*', attr: '__proto__', all: true },
      has: { selector: 'ul:has(> .p):not(.q)' },
      broken: { selector: 'a:no-such-thing' },
      brokens: { selector: 'a::before', all: true },
      unclosed: { selector: 'a:not(' },
    }
    const { extracted } = await read(body, { wanted: { ...nothing, extract } })
    t.strictSame(extracted, {
      head: 'The head',
      'pri-ces': ['1 €', '2 €'],
      first: '1 €',
      hrefs: ['https://site.test/deep/x', 'https://cdn.test/y'],
      image: 'https://site.test/deep/i.png',
      when: '2026-01-02',
      none: null,
      nones: [],
      bare: null,
      constructor: null,
      proto: [],
      has: extracted?.has,
      broken: null,
      brokens: [],
      unclosed: null,
    })
    t.match(extracted?.has, /1 €\s*2 €/)
    const plain = await read('{}', { type: 'application/json', wanted: { ...nothing, extract } })
    t.strictSame(
      [plain.extracted?.head, plain.extracted?.hrefs],
      [null, []],
      'also for other types than HTML',
    )
    const many = await read(`${'<i>x</i>'.repeat(3000)}<b>${'y'.repeat(20_000)}</b>`, {
      wanted: { ...nothing, extract: { all: { selector: 'i', all: true }, long: { selector: 'b' } } },
    })
    t.equal(many.extracted?.all?.length, 1000)
    t.equal(many.extracted?.long?.length, 10_000)
  })

  await t.test('has no values of selectors that take too many steps on the page', async t => {
    const cases: Record<string, [selector: string, body: string]> = {
      'a nested :has': ['div:has(~ div:has(~ q))', '<div></div>'.repeat(20_000)],
      'siblings in :has': [':has(~ p ~ p ~ i)', '<p>x'.repeat(20_000)],
      'siblings of siblings': ['i ~ p', '<p>x'.repeat(20_000)],
      'a place among many': ['p:nth-last-child(7n)', '<p>x'.repeat(20_000)],
      'a text in deep elements': [':contains("y")', `${'<div>'.repeat(500)}${'y'.repeat(1e6)}`],
      'a leading combinator': ['~ p ~ i', '<p>x'.repeat(20_000)],
    }
    for (const [name, [selector, body]] of Object.entries(cases)) {
      const extract = { costly: { selector, all: true }, cheap: { selector: 'title' } }
      const wanted = { ...nothing, extract }
      const { result, processorMs } = await measured(() => read(`<title>T</title>${body}`, { wanted }))
      const { extracted, warnings } = result
      t.strictSame(extracted?.cheap, 'T', name)
      t.ok(processorMs < 20_000, `${name} in ${processorMs} ms`)
      if (name === 'a leading combinator') continue
      t.strictSame(extracted?.costly, [], name)
      t.strictSame(warnings, ['the selector of "costly" takes too many steps on this page'], name)
    }
    const extract = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [
        `v${n}`,
        { selector: `main > p:nth-of-type(odd) a[href].c${n}`, all: true },
      ]),
    )
    const large = `<main>${'<p><a class=c7 href=x>x</a></p>'.repeat(2_000)}</main>`
    const all = await read(large, { wanted: { ...nothing, extract } })
    t.strictSame(all.warnings, [], 'fifty selectors of a large page are fine')
    t.equal(all.extracted?.v7?.length, 1000)
    const wide = Object.fromEntries(
      Array.from({ length: 5 }, (_, n) => [`v${n}`, { selector: 'i', all: true }]),
    )
    const long = await read(`<i>${'y'.repeat(5_000)}</i>`.repeat(400), {
      wanted: { ...nothing, extract: wide },
    })
    t.strictSame(
      long.warnings,
      [1, 2, 3, 4].map(n => `"v${n}" was truncated: all values together exceed 2097152 characters`),
    )
  })

  await t.test('is truncated with a warning if it is too long', async t => {
    const max = 2 * 1024 ** 2
    const prose = await read('word 😀\n'.repeat(1e6), { type: 'text/plain' })
    t.ok((prose.markdown?.length ?? 0) < max && (prose.markdown?.length ?? 0) > max - 2000)
    t.match(prose.warnings, [/text\/plain/, /^only the first \d+ characters were read$/])
    t.ok(prose.article?.text.isWellFormed())
    const base = `<base href="https://site.test/${'b/'.repeat(3_000)}">`
    const links = await read(`${base}${'<p>Some words of it <a href=x>and a link</a>.'.repeat(3_000)}`)
    for (const text of [links.markdown, links.article?.html]) t.equal(text?.length, max)
    t.ok((links.anchors?.length ?? 3_000) < 400)
    t.match(links.warnings, [
      /^markdown was truncated/,
      /^commonmark was truncated/,
      /^article_html was truncated/,
      /^anchors are limited to the first \d+ of \d+$/,
    ])
  })

  await t.test('is returned for any text, not only HTML', async t => {
    const feed = '<?xml version="1.0"?><rss><channel><title>News</title></channel></rss>'
    const cases: [string | Buffer, string | null, markdown: string, warning: RegExp][] = [
      ['{"a": "ü"}', 'application/json', '```json\n{"a": "ü"}\n```\n', /is application\/json, not HTML/],
      ['{"a":1}', 'application/problem+json; x=y', '```json\n{"a":1}\n```\n', /problem\+json, not/],
      ['hello\n*world*', 'text/plain', 'hello\n*world*', /is text\/plain, not HTML/],
      ['# Head', 'text/markdown; charset=UTF-8', '# Head', /is text\/markdown/],
      ['a,b\n', 'text/csv', '```csv\na,b\n```\n', /text\/csv/],
      [feed, 'application/rss+xml', `\`\`\`xml\n${feed}\n\`\`\`\n`, /rss\+xml, not HTML/],
      [feed, ' TEXT/XML;charset=utf-8', `\`\`\`xml\n${feed}\n\`\`\`\n`, /not HTML/],
      ['a ```` b', 'application/json', '`````json\na ```` b\n`````\n', /not HTML/],
      [Buffer.from('%PDF-1.7\n\x00\xff', 'latin1'), 'application/pdf', '', /not text \(application\/pdf\)/],
      [Buffer.of(0x89, 0x50, 0x4e, 0x47, 0), 'image/png', '', /not text \(image\/png\)/],
      ['just words', null, 'just words', /is text\/plain, not HTML/],
      [Buffer.of(0x89, 0x50, 0x4e, 0x47, 0), null, '', /not text \(image\/png\)/],
      [Buffer.of(0x89, 0x51, 0x4e, 0x47, 0), null, '', /not text \(no type\)/],
      ['', null, '', /is empty/],
      ['', 'application/json', '', /is empty/],
    ]
    for (const [body, type, markdown, warning] of cases) {
      const content = await read(body, { type })
      t.equal(content.markdown, markdown, `${type}: ${body.slice(0, 10)}`)
      t.match(content.warnings, [warning])
      t.match(content, {
        metadata: { title: null, json_ld: { length: 0 } },
        anchors: { length: 0 },
        signals: { h1: { length: 0 } },
        contentType: type,
      })
    }
    const { signals } = await read('two 😀\n ', { type: 'text/plain' })
    t.match(signals, { word_count: 1, char_count: 5 }, 'characters are code points, and a picture is no word')
    t.match(await read('<title>x', { type: null }), { metadata: { title: 'x' } }, 'HTML without a type')
    t.match(await read('<title>x', { type: 'application/xhtml+xml' }), { metadata: { title: 'x' } })
  })

  await t.test('is empty for a file that is not text, with any Content-Type', async t => {
    const nothing = { markdown: '', article: { text: '', html: '' }, text: '', html: '', anchors: [] }
    for (const [type, body] of binaryFiles) {
      const honest = await read(body, { type })
      t.match(honest, { ...nothing, warnings: [`the page is not text (${type})`] }, type)
      for (const sentAs of ['text/html', 'Text/HTML; charset=utf-8', 'application/xhtml+xml', 'text/plain']) {
        const { contentType, warnings, ...disguised } = await read(body, { type: sentAs })
        const { contentType: _, warnings: expected, ...rest } = honest
        t.strictSame(disguised, rest, `${type} as ${sentAs}`)
        t.strictSame(warnings, [...expected, `its Content-Type was ${sentAs.split(';', 1)}`])
        t.equal(contentType, sentAs)
      }
      t.match(await read(body, { type: null }), { ...nothing, warnings: [`the page is not text (${type})`] })
    }
    for (const text of textsLikeFiles) t.match(await read(text), { article: { text: /./ } }, text)
  })

  await t.test('is empty for an empty page, with any status', async t => {
    for (const status of [200, 204, 404, 500]) {
      const content = await read('', { status })
      t.match(content, { bytes: 0, markdown: '', article: { text: '', html: '' }, html: '', challenge: null })
      t.match(content.signals, { title: null, word_count: 0, char_count: 0, links: { total: 0 } })
    }
  })

  await t.test('is read in the encoding that the page is written in', async t => {
    const text = 'Grüße aus Köln'
    const late = `<!--${' '.repeat(3000)}--><meta charset=windows-1252>`
    const latin1 = (body: string) => Buffer.from(body, 'latin1')
    const cases: [string, Uint8Array, string | null][] = [
      ['by its type', latin1(`<p>${text}`), 'text/html; charset=ISO-8859-1'],
      ['by itself, where it is UTF-8', Buffer.from(`<p>${text}`), 'text/html'],
      ['by habit, where it is not', latin1(`<p>${text}`), 'text/html'],
      ['by its mark, against its type', Buffer.from(`\ufeff<p>${text}`), 'text/html; charset=shift_jis'],
      ['in UTF-16', Buffer.from(`\ufeff<p>${text}`, 'utf16le'), 'text/html'],
      ['by a meta', latin1(`<meta charset=windows-1252><p>${text}`), 'text/html'],
      ['by a late meta', latin1(`${late}<p>${text}`), 'text/html'],
      ['by an unknown label', Buffer.from(`<p>${text}`), 'text/html; charset=no-such-thing'],
      ['without a type', latin1(`<html><p>${text}`), null],
    ]
    for (const [name, body, type] of cases) {
      const { markdown, html } = await read(body, { type })
      t.equal(markdown, `${text}\n`, name)
      t.ok(html?.endsWith(text), name)
    }
    for (const example of inOldCharsets) {
      const { charset, title, text } = example
      const { markdown, metadata, html } = await read(undeclaredPage(example), { type: 'text/html' })
      t.match(markdown, text, `by its letters: ${charset}`)
      t.match({ html, ...metadata }, { title, html: text })
    }
    const linked = await read(latin1('<p><a href="?q=für">a</a>'), { type: 'text/html; charset=iso-8859-1' })
    t.match(linked.markdown, '?q=f%FCr)', 'and so are the queries of its links, as in browsers')
    const wrong = await read(latin1(`<p>${text}`), { type: 'text/html; charset=shift_jis' })
    t.match(wrong.markdown, /aus K/, 'with a wrong label, readable parts are read')
  })

  await t.test('is UTF-8 if only its beginning is read, which ends within a character', async t => {
    const maxBytes = 8_384_520
    for (const shift of [0, 1, 2]) {
      const ascii = 'x'.repeat(maxBytes - 11 + shift)
      const { text } = await read(`é${ascii}${'海'.repeat(6)}`, {
        ...{ type: 'text/plain', wanted: { ...nothing, text: true } },
      })
      t.equal(text?.slice(0, 2), 'éx', `after ${7 + shift} bytes of other characters`)
    }
  })

  await t.test('is correct in any alphabet, and without invisible text', async t => {
    const { markdown, article } = await read(
      '<p>a\0b\u202ec\u2066d</p><script>x="<p>no"</script><style>p{}</style>',
    )
    t.match(markdown, /^a.?b\u202ec\u2066d\n$/)
    t.notMatch(markdown, /\0|no/)
    t.notMatch(article?.text, /\0|no/)
    const script = await read('<title>App</title><div id=root></div><script>render("<p>words</p>")</script>')
    t.match(script, {
      markdown: '',
      metadata: { title: 'App' },
      article: { text: '' },
      signals: { word_count: 0 },
    })
    const frames = await read(
      '<title>Old</title><frameset cols="1,2"><frame src=a.html><noframes><a href=c>c</a></noframes></frameset>',
    )
    t.match(frames, { metadata: { title: 'Old' }, challenge: null, warnings: { length: 0 } })
  })

  await t.test('has a guessed language if the page declares none', async t => {
    const words = '<p>Das Wasser kommt zweimal am Tag, und wer an der Küste wohnt, der weiß das auswendig.'
    t.match(await read(words), { metadata: { lang: 'de' }, signals: { lang: 'de' } })
    t.match(await read(`<html lang=fr>${words}`), { metadata: { lang: 'fr' } }, 'but believes what it says')
  })

  await t.test('names the bot defense of a challenge page', async t => {
    const body = '<title>Just a moment...</title><script>window._cf_chl_opt={}</script>'
    t.equal((await read(body, { status: 403 })).challenge, 'Cloudflare')
    const marked = { status: 403, headers: { 'cf-mitigated': 'challenge' } }
    t.equal((await read('Wait', marked)).challenge, 'Cloudflare')
    t.equal((await read('{}', { ...marked, type: 'application/json' })).challenge, 'Cloudflare')
    t.equal((await read('<p>Just a moment', { status: 200 })).challenge, null)
  })

  await t.test('has the directives for robots from headers', async t => {
    const headers = { 'x-robots-tag': 'noindex, GPTBot: noai', 'tdm-reservation': '1' }
    const { signals } = await read('<meta name=robots content=nofollow>', { headers })
    t.match(signals, { robots_meta: ['nofollow'], ai_directives: { tdm_reservation: true } })
    t.match(JSON.stringify(signals?.ai_directives.x_robots_tag), /noai/)
  })

  await t.test('is created from large and deep pages in bounded time, and truncated', async t => {
    const cases: Record<string, [string, RegExp?]> = {
      'one tag of 10 MB': [`<p ${'x'.repeat(10e6)}>end`],
      'attributes of 64 KB': [
        `<p title="${'a'.repeat(65_536)}"><a href="/${'b'.repeat(65_536)}">x</a>end`,
        /end/,
      ],
      'twenty thousand attributes': [
        `<p ${Array.from({ length: 20_000 }, (_, n) => `a${n}=1`).join(' ')}>end`,
        /end/,
      ],
      'ninety thousand elements deep': [`${'<div>'.repeat(90_000)}end`, /end/],
      'ten thousand lists deep': [`${'<ul><li>'.repeat(10_000)}end`, /end/],
      'ten thousand quotes deep': [`${'<blockquote>'.repeat(10_000)}end`, /end/],
      'ten thousand tables deep': [`${'<table><tr><td>'.repeat(10_000)}end`, /end/],
      'half a megabyte of NULs': [`${'\0'.repeat(500_000)}<p>end`, /end/],
      'twenty thousand links': [`${'<a href=#>x</a>'.repeat(20_000)}end`, /end/],
      'never closed': [`${'<b><i><p><a><table><select><form><button><h1>'.repeat(1000)}end`],
      'one word of a megabyte': [`<p>${'x'.repeat(1e6)} end`, /end/],
    }
    for (const [name, [body, expected = /./s]] of Object.entries(cases)) {
      const { result: content, processorMs } = await measured(() => read(`<title>T</title>${body}`))
      t.ok(processorMs < 20_000, `${name} in ${processorMs} ms`)
      t.equal(content.metadata.title, 'T', name)
      if (expected.source === 'end') t.match(content.markdown, expected, name)
    }
    const long = await read(`<p>first</p><!--${'-'.repeat(3 * 1024 ** 2)}--><p>last</p>`)
    t.match(long.warnings, [/only the first 3145728 characters/])
    t.match(long.markdown, /^first/)
    t.notMatch(long.markdown, /last/)
    t.match(long.warnings, [/./, /^html was truncated to 2097152 characters$/])
    t.equal(long.html?.length, 2 * 1024 ** 2)
    const crowded = await read(`<p>first${'<i></i>'.repeat(50_000)}<p>last</p>`)
    t.match(crowded, { warnings: [/only the first 350004 characters/], markdown: 'first\n' })
    const ticks = await read('` '.repeat(1e6), { type: 'application/json' })
    t.ok(ticks.markdown?.startsWith('```json\n` '), 'a million ticks')
  })

  await t.test('is created from any bytes of any type', async () => {
    const types = fc.constantFrom(
      null,
      'text/html',
      'text/plain',
      'application/json',
      'text/html; charset=utf-16',
    )
    const pieces = fc.constantFrom(
      '<',
      '<p>',
      '</',
      '<a href=',
      '"',
      "'",
      '<title>',
      '<!--',
      ']]>',
      '&#x',
      '\0',
      'ü',
      '<base href=//>',
    )
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
      fc
        .array(fc.oneof(pieces, fc.string({ maxLength: 10 })), { maxLength: 40 })
        .map(all => Buffer.from(all.join(''))),
    )
    const extract = { a: { selector: '*', all: true } }
    await fc.assert(
      fc.asyncProperty(
        bodies,
        types,
        fc.constantFrom('page' as const, 'main' as const),
        async (body, type, markdown) => {
          await read(body, { type, wanted: { ...everything, markdown, extract } })
        },
      ),
      { numRuns: documents(120) },
    )
  })
})

/** Never ends on a page with a certain text. */
const stubborn = new URL(
  `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'
parentPort.on('message', ({ body }) => {
  const text = Buffer.from(body).toString()
  while (text === 'endless') {}
  parentPort.postMessage({ json: new TextEncoder().encode(JSON.stringify({ html: text })) })
})
parentPort.postMessage('ready')`)}`,
)
const endless = requested('endless')

test('The thread that creates content', { timeout: patient(300_000) }, async t => {
  await t.test('aborts a slow page at its deadline, and reads the next one', async t => {
    // Three times this is less than the wait of the next page, also on a busy machine.
    await using thread = createContentThread(2_000, { file: stubborn })
    t.match(await readMade(thread.make(requested('first'), 'a')), { html: 'first' })
    const late = thread.make(endless, 'a')
    const next = thread.make(requested('next'), 'b')
    await t.rejects(late, { status: 502, code: 'fetch_failed', reason: 'timeout' })
    t.match(await readMade(next), { html: 'next' })
  })

  await t.test('has enough memory for the largest pages', async t => {
    await using thread = createContentThread(60_000)
    const pieces = ['<a href=a>x</a>', '<tr><td>x', 'word ', '<p>', '<li>x', 'x\n', '&amp;']
    for (const piece of pieces.slice(0, sized(2, pieces.length))) {
      const body = `<table><ul><pre>${piece.repeat(10e6 / piece.length)}`
      t.match(await readMade(thread.make(requested(body), 'a')), { bytes: body.length }, piece)
    }
    const base = `<base href="https://site.test/${'b/'.repeat(4_000)}">`
    const many = Array.from({ length: 50_000 }, (_, n) => `<a href=${n}>x</a> `).join('')
    const { warnings } = await readMade(thread.make(requested(base + many), 'a'))
    t.match(
      warnings.at(-1),
      /^anchors are limited to the first/,
      'and for pages with a high compression ratio',
    )
    t.comment(`at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB resident`)
  })

  await t.test('refuses pages that would wait too long or need too much memory', async t => {
    await using thread = createContentThread(30_000)
    const busy = { status: 503, code: 'unavailable', retryAfterSeconds: 2 }
    const waiting = Array.from({ length: 100 }, () => thread.make(requested('<p>x'), 'a'))
    await t.rejects(thread.make(requested('<p>x'), 'a'), busy, 'of one')
    for (let n = 0; n < 100; n++) waiting.push(thread.make(requested('<p>x'), `b${n}`))
    await t.rejects(thread.make(requested('<p>x'), 'c'), busy, 'of all')
    t.equal((await Promise.all(waiting)).length, 200)
    const large = requested(Buffer.alloc(20 * 1024 ** 2, ' '), { type: 'image/png' })
    const held = [thread.make(large, 'a'), thread.make(large, 'a')]
    await t.rejects(thread.make(large, 'a'), busy)
    held.push(thread.make(large, 'b'), thread.make(large, 'b'))
    await t.rejects(thread.make(large, 'c'), busy)
    await Promise.all(held)
    t.match(await readMade(thread.make(large, 'a')), { bytes: large.body.length }, 'until there is memory')
  })

  await t.test('serves callers in turn, and rejects waiting callers when it is closed', async t => {
    const thread = createContentThread(60_000, { file: stubborn })
    const order: string[] = []
    const make = (what: string) => thread.make(requested(what), what.charAt(0)).then(() => order.push(what))
    await Promise.all(['a1', 'a2', 'a3', 'b1', 'c1'].map(make))
    t.strictSame(
      order,
      ['a1', 'a2', 'b1', 'c1', 'a3'],
      'a caller with one page does not wait for all pages of another',
    )
    const waiting = [thread.make(endless, 'a'), thread.make(requested('<p>x'), 'a')]
    const ended = Promise.allSettled(waiting)
    await sleep(50)
    await thread[Symbol.asyncDispose]()
    for (const one of await ended) {
      t.match(one, { status: 'rejected', reason: { status: 503, code: 'unavailable' } })
      t.ok(one.status === 'rejected' && one.reason instanceof Refusal)
    }
  })

  await t.test('rejects with errors of the work, and at the deadlines of callers', async t => {
    const file = new URL(`data:text/javascript,${encodeURIComponent(echoing)}`)
    const options = { file, timeoutMs: 5_000, maxMegabytes: 64, patienceMs: 300 }
    await using thread = createThread<{ ms?: number; fault?: string }, number>(options)
    await t.rejects(thread.request({ fault: 'broken' }), { message: 'broken' })
    const first = thread.request({ ms: 1_000 })
    const second = thread.request({ ms: 0 })
    t.equal(thread.waiting, 2)
    t.equal(await first, 1_000)
    await t.rejects(second, new ThreadTerminated('patience'))
    t.equal(await thread.request({ ms: 1 }), 1)
    t.equal(thread.waiting, 0)
  })

  await t.test('does not count the start of a thread as time of a page', async t => {
    const slow = `const begins = Date.now()\nwhile (Date.now() - begins < 1_000) {}\n`
    const file = new URL(
      `data:text/javascript,${encodeURIComponent(echoing.replace('parentPort.on', `${slow}parentPort.on`))}`,
    )
    await using thread = createThread<{ ms: number }, number>({ file, timeoutMs: 300, maxMegabytes: 64 })
    t.equal(await thread.request({ ms: 1 }), 1)
    await t.rejects(thread.request({ ms: 10_000 }), new ThreadTerminated('time'))
  })

  await t.test('limits the processor time of a page, and its duration threefold', async t => {
    const file = new URL(`data:text/javascript,${encodeURIComponent(computing)}`)
    await using thread = createThread<{ waitMs: number; workMs: number }, string>({
      ...{ file, timeoutMs: 600, maxMegabytes: 64 },
    })
    t.equal(await thread.request({ waitMs: 1_000, workMs: 50 }), 'done', 'other load does not count')
    await t.rejects(thread.request({ waitMs: 0, workMs: 60_000 }), new ThreadTerminated('time'))
    await t.rejects(thread.request({ waitMs: 60_000, workMs: 0 }), new ThreadTerminated('time'))
  })

  await t.test('responds within the time that its caller waits', async t => {
    const file = new URL(`data:text/javascript,${encodeURIComponent(computing)}`)
    await using thread = createThread<{ waitMs: number; workMs: number }, string>({
      ...{ file, timeoutMs: 2_000, maxMegabytes: 64, callerMs: 5_000 },
    })
    await thread.request({ waitMs: 0, workMs: 0 })
    const started = performance.now()
    const ended = [
      { waitMs: 3_000, workMs: 0 },
      { waitMs: 60_000, workMs: 0 },
    ].map(work => thread.request(work))
    t.equal(await ended[0], 'done')
    await t.rejects(ended[1] as Promise<string>, new ThreadTerminated('time'))
    const ms = performance.now() - started
    t.ok(ms > 4_500 && ms < 8_000, `${Math.round(ms)} ms, with the wait for the first`)
  })
})

const computing = `import { parentPort } from 'node:worker_threads'
parentPort.on('message', ({ waitMs, workMs }) => {
  setTimeout(() => {
    const begins = Date.now()
    while (Date.now() - begins < workMs) {}
    parentPort.postMessage('done')
  }, waitMs)
})
parentPort.postMessage('ready')`

const echoing = `import { parentPort } from 'node:worker_threads'
parentPort.on('message', ({ ms, fault }) => {
  if (fault) throw new Error(fault)
  setTimeout(() => parentPort.postMessage(ms), ms)
})
parentPort.postMessage('ready')`

test('A small page', async t => {
  const asks: ContentRequest[] = []
  const thread: Pick<ContentThread, 'make'> = {
    async make(request) {
      asks.push(request)
      const { content, isShell } = await makeContent(request)
      return { json: Buffer.from(JSON.stringify(content)), challenge: content.challenge, isShell }
    },
  }
  const { make } = withSmallPages(thread as ContentThread)
  const signals = { ...nothing, signals: true, anchors: true }
  const markdown = { ...signals, markdown: 'page' } as const
  const small = { wanted: signals }
  const requests: [what: string, question: ContentRequest, threads: number][] = [
    ['a page with its language', requested(page, small), 0],
    ['its facts only', requested(page, { wanted: nothing }), 0],
    ['a page that is no HTML', requested('{"tides": 2}', { ...small, type: 'application/json' }), 0],
    ['an empty page, whose language is unknown', requested('', small), 1],
    ['a page whose language must be guessed', requested(page.replace(' lang=en', ''), small), 1],
    ['a page as Markdown', requested(page, { wanted: markdown }), 0],
    ['an article', requested(page, { wanted: { ...signals, article: true } }), 0],
    ['a page as CommonMark', requested(page, { wanted: { ...signals, commonmark: true } }), 1],
    ['a page with chunks', requested(page, { wanted: { ...markdown, chunks: { max_tokens: 100 } } }), 1],
    ['a page with shadow roots', requested(`${page}<template shadowrootmode=open>x`, small), 1],
    ['a page with a base', requested(page.replace('<title>', '<BASE href="/b/"><title>'), small), 1],
    ['a large page', requested(page + '<p>word '.repeat(10_000), small), 1],
    ['a PDF', requested('%PDF-1.7', { ...small, type: 'application/pdf' }), 1],
  ]
  for (const [what, request, threads] of requests) {
    asks.length = 0
    const made = await make(request, 'owner')
    t.equal(asks.length, threads, `${what}: the thread is used ${threads} times`)
    const expected = await thread.make(request, 'owner')
    t.strictSame(
      { ...made, json: JSON.parse(Buffer.from(made.json).toString()) },
      { ...expected, json: JSON.parse(Buffer.from(expected.json).toString()) },
      `${what}: the content is the same`,
    )
  }

  const order: string[] = []
  const ask = async (owner: string) => {
    await make(requested(page, { wanted: markdown }), owner)
    order.push(owner)
  }
  await Promise.all(['much', 'much', 'much', 'much', 'little'].map(ask))
  t.ok(order.indexOf('little') <= 2, `clients take turns: ${order}`)
})
