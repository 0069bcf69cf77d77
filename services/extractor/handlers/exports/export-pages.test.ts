/** The body of an exported page as `html`. */
import type { BatchedPage } from '@tidemark/content/page-batches'
import type { ListedPage } from '@tidemark/contracts/rpc/exports'
import { test } from 'tap'
import { exportPage } from './export-pages.ts'

const htmlOf = (contentType: string | null, body: string, encodings: string[] = []) =>
  exportPage(
    {
      listed: { contentType } as ListedPage,
      stored: { encodings, body: Buffer.from(body, 'latin1') } as unknown as BatchedPage,
      ...{ made: null, isUnread: false, vectors: null },
    },
    ['html'],
  ).html

test('The html of an exported page', async t => {
  t.equal(htmlOf('text/html', '<p>The tide'), '<p>The tide')
  t.equal(htmlOf('text/plain', 'The tide'), 'The tide')
  for (const type of ['application/pdf', 'application/octet-stream', 'text/html', null])
    t.equal(htmlOf(type, '%PDF-1.7\n%\xe2\xe3'), '', `is empty for a PDF that is sent as ${type}`)
  t.equal(htmlOf('text/html', '<p>', ['gzip']), null, 'is null if the stored bytes are damaged')
})
