/** Settled pages → `read.page`, one statement per batch. A deleted run gets no pages. */
import { textOf } from '@tidemark/contracts/plain-text'
import type { NewPage } from '../domain/run-fold.ts'
import { type Client, columns, type Table, unnest } from './table.ts'

const table: Table<NewPage> = [
  ['id', 'bigint', page => page.id],
  ['run_id', 'bigint', page => page.runId],
  ['url_key', 'text', page => page.key],
  ['url', 'text', page => textOf(page.url)],
  ['requested_url', 'text', page => textOf(page.requestedUrl)],
  ['status', 'integer', page => page.status],
  ['bytes', 'bigint', page => page.bytes],
  ['depth', 'integer', page => page.depth],
  ['fetched_at', 'timestamptz', page => page.fetchedAt],
  ['content_type', 'text', page => textOf(page.contentType)],
  ['title', 'text', page => textOf(page.title)],
  ['content_hash', 'text', page => page.contentHash],
  ['raw_hash', 'text', page => page.rawHash],
  ['blocked', 'boolean', page => page.blocked ?? false],
  ['rendered', 'boolean', page => page.rendered ?? false],
  ['comparison_hash', 'text', page => page.comparisonHash ?? null],
  ['carried', 'boolean', page => page.carried !== undefined],
  ['address', 'text', page => page.peer?.address ?? null],
  ['certificate', 'text', page => page.peer?.certificate ?? null],
]

const insert = `
  insert into read.page (id, run_id, project_id, url_key, url, requested_url, status, bytes, depth, fetched_at,
    content_type, title, content_hash, raw_hash, blocked, rendered, comparison_hash, carried,
    address, certificate)
  select page.id, page.run_id, run.project_id, page.url_key, page.url, page.requested_url, page.status, page.bytes,
    page.depth, page.fetched_at, page.content_type, page.title, page.content_hash, page.raw_hash,
    page.blocked, page.rendered, page.comparison_hash, page.carried, page.address, page.certificate
  from ${unnest(table, 'page')}
  join read.run on run.id = page.run_id
  on conflict do nothing`

export async function insertPages(client: Client, pages: readonly NewPage[]): Promise<void> {
  await client.query(insert, columns(table, pages))
}
