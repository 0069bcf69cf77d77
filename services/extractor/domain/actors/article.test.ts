/** The article of a page as `extract-article` returns it: content, reading time, author and date. */
import { measured } from '@tidemark/testing/processor-time'
import { test } from 'tap'
import { type ArticleWish, articleOf } from './article.ts'
import { seePage } from './seen-page.ts'

const url = 'https://example.com/blog/tides'
const paragraph = (n: number) =>
  `<p>High water number ${n} comes twice a day, because the moon pulls the sea towards it, and the earth turns beneath both of them; <a href="/why?n=${n}">why</a> that is so was long unknown.</p>`
const said = 'I have seen it three times in a day, on the coast of Bohemia, and would not believe it.'
const head = `<title>Why the tide comes twice | Harbour News</title><meta name=description content="All of the tide.">
<meta name=author content="Ada Byron"><meta property="og:site_name" content="Harbour News"><meta property="og:image" content="/tide.png">
<meta property="article:published_time" content="2026-01-02T03:04:05Z"><meta property="article:modified_time" content="2026-02-03">
<link rel=canonical href="/blog/tides?from=canonical">`
const body = (below = '') =>
  `<nav><a href=/>Home</a> <a href=/news>News</a></nav><article><h1>Why the tide comes twice</h1>
${[1, 2, 3, 4].map(paragraph).join('\n')}</article>${below}<footer>© Harbour News</footer>`
const comments = `<section id=comments class=comments><h2>1 comment</h2><div class=comment><p>${said}</p></div></section>`
const page = `<!doctype html><html lang=en><head>${head}</head><body>${body(comments)}</body></html>`

const plain: ArticleWish = { format: 'markdown', comments: false, wpm: null }

function read(html: string, wish: Partial<ArticleWish> = {}, contentType = 'text/html; charset=utf-8') {
  const seen = seePage({ url, status: 200, contentType, headers: {}, body: Buffer.from(html) })
  return { ...articleOf(seen, { ...plain, ...wish }, 'de'), warnings: seen.warnings }
}

test('An article', async t => {
  await t.test('is returned without its surroundings, in the requested form', async t => {
    const { content, format } = read(page)
    t.equal(format, 'markdown')
    t.match(content, /^High water number 1 .*\[why\]\(https:\/\/example\.com\/why\?n=1\)/)
    t.equal(content.trim().split('\n\n').length, 4)
    const text = read(page, { format: 'text' })
    t.equal(text.format, 'text')
    t.equal(text.content, content.trim().replace(/\[why\]\([^)]*\)/g, 'why'))
    for (const form of [content, text.content]) t.notMatch(form, /Home|News|Bohemia|©/)
  })

  await t.test('is found on a page without html and body tags', async t => {
    const { content, metadata } = read(
      `<!doctype html><title>T</title><h1>Tides</h1>${[1, 2].map(paragraph).join('')}`,
    )
    t.match(content, /^High water number 1 .*\n\nHigh water number 2 /)
    t.ok(metadata.confidence > 0.3)
  })

  await t.test('has a count of words and a reading time in seconds', async t => {
    const { word_count: words, reading_time_seconds: seconds, wpm } = read(page)
    t.equal(words, 124)
    t.strictSame([seconds, wpm], [Math.ceil((124 * 60) / 230), 230], 'at the usual speed')
    for (const [speed, expected] of [
      [50, 149],
      [124, 60],
      [1000, 8],
    ] as const) {
      const read1 = read(page, { wpm: speed })
      t.strictSame([read1.reading_time_seconds, read1.wpm, read1.word_count], [expected, speed, 124])
    }
    t.equal(read(page, { format: 'text' }).word_count, 124, 'in any form')
    t.equal(read(page, { comments: true }).word_count, 124, 'comments do not count')
  })

  await t.test('has the metadata of its page', async t => {
    t.strictSame(read(page).metadata, {
      title: 'Why the tide comes twice',
      byline: 'Ada Byron',
      site_name: 'Harbour News',
      published: '2026-01-02T03:04:05Z',
      modified: '2026-02-03',
      lang: 'en',
      description: 'All of the tide.',
      excerpt: 'All of the tide.',
      image: 'https://example.com/tide.png',
      canonical: 'https://example.com/blog/tides?from=canonical',
      page_kind: 'article',
      confidence: 0.79,
    })
    const { metadata } = read(`<h1>Tides</h1>${[1, 2].map(paragraph).join('')}`)
    t.match(metadata, { title: 'Tides', byline: null, published: null, image: null, canonical: null })
    t.equal(metadata.lang, 'de', 'a guessed language, if none is declared')
    t.match(metadata.excerpt, /^High water number 1/)
    const forum =
      '<script type="application/ld+json">{"@type":"DiscussionForumPosting","headline":"Tides"}</script>'
    t.equal(read(forum + page).metadata.page_kind, 'forum')
  })

  await t.test('has separate comments on request', async t => {
    t.equal(read(page).comments, null)
    t.equal(read(page, { comments: true }).comments, said)
    const quiet = page.replace(comments, '')
    t.equal(read(quiet, { comments: true }).comments, '', 'a page without comments')
    t.notMatch(read(page, { comments: true }).content, /Bohemia/)
  })
})

test('A page without an article', async t => {
  await t.test('that is plain text is its own article', async t => {
    const { content, word_count, metadata, comments, warnings } = read(
      '# Tides\n\nTwice a day.',
      { comments: true },
      'text/plain',
    )
    t.equal(content, '# Tides\n\nTwice a day.')
    t.strictSame([word_count, metadata.page_kind, metadata.confidence, comments], [4, null, 0, ''])
    t.match(warnings, [/text\/plain, not HTML/])
    t.match(read('{"a":1}', {}, 'application/json').content, /^```json\n\{"a":1\}\n```/)
    t.equal(read('{"a":1}', { format: 'text' }, 'application/json').content, '{"a":1}')
  })

  await t.test('that is not text, or is empty, has no article', async t => {
    const nothing = { content: '', word_count: 0, reading_time_seconds: 0, comments: null }
    t.match(read('%PDF-1.7', {}, 'application/pdf'), { ...nothing, warnings: [/application\/pdf/] })
    t.match(read(''), nothing)
    t.match(read('<!doctype html><title>T</title>'), { ...nothing, metadata: { confidence: 0 } })
  })

  await t.test('and a hostile page take bounded time', async t => {
    const pages: [name: string, html: string][] = [
      ['deep', '<div>'.repeat(200_000) + paragraph(1)],
      ['wide', `<p>${'<b>x</b> '.repeat(100_000)}`],
      ['one word', `<article><p>${'x'.repeat(4_000_000)}`],
      ['many comments', `<section class=comments>${`<p>${said}</p>`.repeat(20_000)}</section>`],
      ['names', `<meta name=author content="${'Ada, '.repeat(50_000)}">${paragraph(1)}`],
    ]
    for (const [name, html] of pages) {
      const { result, processorMs } = await measured(() => read(html, { comments: true }))
      const { content, comments } = result
      t.ok(processorMs < 8_000, `${name} in ${processorMs} ms`)
      t.ok(content.length <= 2 * 1024 ** 2 && (comments?.length ?? 0) <= 200_000, name)
    }
    const { content, warnings } = read(`<article><p>${'words '.repeat(500_000)}`)
    t.equal(content.length, 2 * 1024 ** 2)
    t.match(warnings, [/content was truncated to 2097152 characters/])
  })
})
