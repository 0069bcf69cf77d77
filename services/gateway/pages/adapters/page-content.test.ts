/** The body of a stored page as `html`. */
import type { OfProject } from '@tidemark/db/of-project'
import { test } from 'tap'
import type { PageSlice } from '../domain/page-format.ts'
import { pageContent } from './page-content.ts'
import type { FoundPage } from './page-reads.ts'

const page = { projectId: 1, runId: 2, urlKey: 'k', url: 'https://example.com/', status: 200 } as FoundPage
const slice: PageSlice = {
  ...{ parts: ['html', 'metadata'], isMainOnly: false },
  ...{ articleFormat: 'html', chunks: undefined },
}

/** Returns `html` of a page that was stored with this type and body. */
async function htmlOf(contentType: string | null, body: string | Buffer) {
  const stored = { body_hash: Buffer.alloc(32), encodings: '', charset: null, metadata: '{}', object: null }
  const row = { ...stored, content_type: contentType, data: Buffer.from(body) }
  const reads = (() => ({ query: async () => ({ rows: [row] }) })) as unknown as OfProject
  const content = await pageContent(reads, { read: async () => null })(page, slice)
  return content?.html
}

const pdf = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj', 'latin1')
const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')

test('The html of a stored page', async t => {
  const texts: [type: string | null, body: string][] = [
    ['text/html; charset=utf-8', '<p>Ebbe und Flut: ü'],
    ['application/json', '{"tide": "high"}'],
    ['text/plain', 'The tide'],
    [null, '<!doctype html><p>The tide'],
    [null, 'The tide'],
  ]
  for (const [type, body] of texts) t.equal(await htmlOf(type, body), body, `is the text of ${type}`)
  const files: [type: string | null, body: Buffer][] = [
    ['application/pdf', pdf],
    ['application/octet-stream', pdf],
    ['text/html', pdf],
    [null, pdf],
    ['image/png', png],
    ['text/html', png],
    [null, Buffer.from([1, 2, 3, 0])],
  ]
  for (const [type, body] of files) t.equal(await htmlOf(type, body), '', `is empty for ${type}`)
  t.equal(await htmlOf('text/html', ''), '', 'is empty for an empty page')
})
