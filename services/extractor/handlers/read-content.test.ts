/** The content of a stored page: its signals have the directives that the origin sent. */
import type { PageContent } from '@tidemark/content/store'
import type { Content, Wanted } from '@tidemark/contracts/rpc/content'
import { test } from 'tap'
import { makeContent } from './make-content.ts'
import { readContent } from './read-content.ts'

const wanted: Wanted = {
  ...{ html: false, markdown: null, article: false },
  ...{ signals: true, anchors: false },
}
const page = { url: 'https://example.com/', status: 200 }

/** Returns the directives in the signals of a page that was stored with these header lines and metadata. */
async function directivesOf(headers: string | null, metadata: object = {}) {
  const stored: PageContent = {
    ...{ bodyHash: null, encodings: [], charset: null, contentType: 'text/html' },
    ...{ headers, metadata, body: Buffer.from('<p>Hi') },
  }
  const read = readContent({
    store: { readPage: async () => stored },
    thread: {
      make: async request => {
        const { content } = await makeContent(request)
        return { json: Buffer.from(JSON.stringify(content)), challenge: null, isShell: false }
      },
    },
    maxDecodedBytes: 1_000,
  })
  const json = await read({ ...page, runId: 1, urlKey: 'k', wanted })
  const content: Content = JSON.parse(Buffer.from(json ?? []).toString())
  return content.signals?.ai_directives
}

test('The signals of a stored page', async t => {
  const lines = [
    'content-type: text/html',
    'x-robots-tag: noai',
    'tdm-reservation: 1',
    'tdm-policy: https://example.com/policy.json',
    'content-signal: search=yes, ai-train=no',
    'content-usage: train-ai=n',
  ]
  t.match(
    await directivesOf(`${lines.join('\n')}\n`),
    {
      noai: true,
      tdm_reservation: true,
      tdm_policy: 'https://example.com/policy.json',
      content_signals: { search: 'yes', 'ai-train': 'no' },
      content_usage: { 'train-ai': 'n' },
    },
    'have the reservations that the origin sent',
  )
  const tag = { x_robots_tag: 'noai' }
  t.match(await directivesOf(null, tag), { noai: true, tdm_reservation: null }, 'also without stored headers')
  t.match(await directivesOf('tdm-reservation: 1\n', tag), { noai: true, tdm_reservation: true })
})
