/**
 * `POST /v1/actors/extract-article` end to end, from the client to the site; and progress events, as every actor sends
 * them.
 */

import { ExtractArticleAnswer } from '@tidemark/contracts/http/actors/extract-article'
import { challenge, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { Check } from 'typebox/value'
import { sharedSystem } from './system.ts'

const paragraphs = [
  'High water comes twice a day, because the <a href="/moon">moon</a> pulls the sea towards it while the earth turns beneath.',
  'In harbours the difference can be ten metres and more, so ships wait outside until there is water enough below their keels.',
  'Tables of the tides were printed long before anybody could say why they were right, and most of them were right.',
]
const page = `<!doctype html><html lang=en><head><title>Why the tide comes twice | Harbour News</title>
<meta name=author content="Ada Byron"><meta property="og:site_name" content="Harbour News"><meta property="og:image" content="/tide.png">
<meta property="article:published_time" content="2026-01-02T03:04:05Z"><link rel=canonical href="/tides"></head>
<body><nav><a href=/>Home</a> <a href=/news>News</a></nav>
<main><article><h1>Why the tide comes twice</h1>${paragraphs.map(text => `<p>${text}</p>`).join('')}</article>
<section class=comments><div class=comment><p>I have seen it three times in a day, on the coast of Bohemia.</p></div></section></main>
<footer>All rights of the tide are reserved.</footer></body></html>`
const text = { 'content-type': 'text/plain; charset=utf-8' }

test('The article of a page', { timeout: patient(300_000) }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('articles', '--tier', 'pro')
  const origin = await startOrigin({
    host: '127.1.11.1',
    pages: {
      '/tides': page,
      '/moved': { status: 301, headers: { location: '/tides' } },
      '/missing': { status: 404, body: '<h1>Not here</h1><p>It was removed long ago.' },
      '/notes.txt': { headers: text, body: 'Twice a day.' },
      '/challenge': challenge,
    },
  })
  t.teardown(() => origin.close())
  const path = '/v1/actors/extract-article'
  const url = `${origin.url}/tides`
  const article = (body: object, headers = {}) => system.call(key, 'POST', path, body, headers)

  await t.test('is returned as Markdown or text, with the metadata of its page', async t => {
    const { status, body, headers } = await article({ url: `${origin.url}/moved` })
    t.equal(status, 200)
    t.ok(Check(ExtractArticleAnswer, body), JSON.stringify(body))
    t.match(body, { actor: 'extract-article', url: `${origin.url}/moved`, final_url: url, status_code: 200 })
    const { content, ...data } = body.data
    t.match(content, `[moon](${origin.url}/moon)`)
    t.notMatch(content, /Home|Bohemia|rights/)
    const words = content.replace(/\([^)]*\)/g, '').match(/\w+/g).length
    const { confidence, ...metadata } = data.metadata
    t.ok(confidence > 0.5 && confidence <= 1)
    t.strictSame(
      { ...data, metadata },
      {
        format: 'markdown',
        word_count: words,
        reading_time_seconds: Math.ceil((words * 60) / 230),
        wpm: 230,
        metadata: {
          title: 'Why the tide comes twice',
          byline: 'Ada Byron',
          site_name: 'Harbour News',
          published: '2026-01-02T03:04:05Z',
          modified: null,
          lang: 'en',
          description: null,
          excerpt: paragraphs[0]?.replace(/<[^>]*>/g, ''),
          image: `${origin.url}/tide.png`,
          canonical: url,
          page_kind: 'article',
        },
        comments: null,
      },
    )
    t.equal(headers.get('x-pages-billed'), '1')
    const asText = await article({ url, format: 'text', include_comments: true, wpm: 60 })
    t.equal(asText.body.data.content, paragraphs.map(text => text.replace(/<[^>]*>/g, '')).join('\n\n'))
    t.match(asText.body.data, { format: 'text', wpm: 60, reading_time_seconds: words, word_count: words })
    t.match(asText.body.data.comments, /^I have seen it three times in a day, on the coast of Bohemia\.$/)
  })

  await t.test('of a missing page or of another format is the content of the response', async t => {
    const missing = await article({ url: `${origin.url}/missing` })
    t.match(missing, { status: 200, body: { status_code: 404, data: { content: /removed long ago/ } } })
    const notes = await article({ url: `${origin.url}/notes.txt` })
    t.match(notes, { status: 200, body: { data: { content: 'Twice a day.', word_count: 3 } } })
    t.match(notes.body.warnings, [/text\/plain, not HTML/])
  })

  await t.test('follows progress events if the client accepts events', async t => {
    const accept = 'text/event-stream'
    const { elapsed_ms: _, ...answer } = (await article({ url })).body
    const streamed = await article({ url }, { accept })
    t.match(
      { status: streamed.status, type: streamed.headers.get('content-type') },
      { status: 200, type: accept },
    )
    const [progress, result, ...more] = eventsOf(streamed.body)
    t.match(progress, { name: 'progress', data: { stage: 'reading the page' } })
    const { elapsed_ms: __, ...received } = result?.data ?? {}
    t.strictSame([result?.name, received, more], ['result', answer, []], 'the same answer')

    const refused = await article({ url: 'http://10.0.0.1/' }, { accept })
    t.match(refused, { status: 400, body: { error: { reason: 'private_address', field: 'url' } } })
    const failed = await article({ url: `${origin.url}/challenge` }, { accept })
    t.equal(failed.status, 200)
    t.match(eventsOf(failed.body), [
      { name: 'progress' },
      { name: 'error', data: { error: { code: 'fetch_failed', reason: 'blocked' } } },
    ])
  })

  await t.test('costs one page, and is free without a page', async t => {
    const shown = await article({ url: `${origin.url}/challenge` })
    t.match(shown, { status: 502, body: { error: { code: 'fetch_failed', reason: 'blocked' } } })
    t.equal(shown.headers.get('x-pages-billed'), '0')
    const dead = await article({ url: 'http://127.1.11.2:40009/' })
    t.match(dead, { status: 502, body: { error: { code: 'fetch_failed', reason: 'connect' } } })
    const rows = async () => (await system.call(key, 'GET', '/v1/usage/ledger')).body.items
    const expected = { billed: 6, blocked: 2, failed: 1 }
    await until(async () => (await rows()).length >= 9)
    const counted = Object.groupBy(await rows(), ({ reason }: { reason: string }) => reason)
    t.strictSame(
      Object.fromEntries(Object.entries(counted).map(([reason, all]) => [reason, all?.length])),
      expected,
    )
    t.ok((await rows()).every(({ operation }: { operation: string }) => operation === 'extract_article'))
    t.equal((await system.call(key, 'GET', '/v1/usage')).body.today.pages, 6)
  })
})

/** Returns the name and data of each event of a stream. */
const eventsOf = (text: string) =>
  [...text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)].map(([, name = '', data = '']) => ({
    name,
    data: JSON.parse(data),
  }))
