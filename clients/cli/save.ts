/** Saves the pages of a crawl: Markdown files, rows, or a file of an export. */
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ConnectionFailedError, type Export, type Tidemark } from '@tidemark/sdk'
import { type Context, textOption, UsageError } from './command.ts'
import { unzip } from './unzip.ts'

export type Saved = { path: string; files: number; records: number | null; bytes: number | null }

const exported = ['markdown', 'jsonl', 'parquet', 'warc', 'wacz', 'sitemap', 'graph'] as const
type Exported = (typeof exported)[number]
export const formats = [...exported, 'csv'] as const
const attempts = 5

/** Returns the format of `--format`. */
export function formatOf(context: Context): Exported | 'csv' {
  const format = formats.find(one => one === (textOption(context, 'format') ?? 'markdown'))
  if (format === undefined) throw new UsageError(`--format must be one of ${formats.join(', ')}.`)
  return format
}

/** Saves the pages of a crawl that has ended into a folder. Throws if the export fails. */
export async function save(
  client: Tidemark,
  run: number,
  format: Exported | 'csv',
  out: string,
): Promise<Saved> {
  await mkdir(out, { recursive: true })
  if (format === 'csv') return saveRows(client, run, join(out, `crawl-${run}-pages.csv`))
  const select = format === 'jsonl' ? { select: { include: ['markdown' as const, 'metadata' as const] } } : {}
  const request = await client.crawls.export(run, { format, ...select })
  const done = await client.exports.wait(request.id)
  if (done.status !== 'done')
    throw new Error(`The export ${done.id} has failed: ${done.error?.message ?? done.status}.`)
  const folder = await mkdtemp(join(out, '.export-'))
  try {
    const file = await download(client, done, folder)
    const { records, bytes } = done
    if (format === 'markdown') return { path: out, files: await unzip(file, out), records, bytes }
    const path = join(out, basename(file))
    await rename(file, path)
    return { path, files: 1, records, bytes }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A download that is cut continues behind the last byte. */
async function download(client: Tidemark, done: Export, folder: string): Promise<string> {
  let file = ''
  for (let attempt = 1; ; attempt++) {
    const from = file === '' ? 0 : (await stat(file)).size
    const response = await client.exports.download(await client.exports.get(done.id), from)
    file ||= join(folder, nameOf(response, done))
    if (response.body === null) return file
    try {
      const flags = response.status === 206 ? 'a' : 'w'
      await pipeline(Readable.fromWeb(response.body as never), createWriteStream(file, { flags }))
      return file
    } catch (error) {
      if (attempt >= attempts)
        throw new ConnectionFailedError(`The download of export ${done.id} was cut.`, true, error)
    }
  }
}

function nameOf({ headers }: Response, { id, format }: Export): string {
  const [, name] = /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '') ?? []
  return basename(name ?? `export-${id}.${format}`).replace(/^\.+/, '') || `export-${id}`
}

/** Writes the rows of all parts, with one head. */
async function saveRows(client: Tidemark, id: number, path: string): Promise<Saved> {
  const sink = createWriteStream(path)
  let records = 0
  for (let offset = 0; ; ) {
    const query = { format: 'csv', fields: 'title,depth,content_type', limit: 10_000, offset }
    const response = await client.request('listPages', { path: { id }, query }, 'text/csv')
    const text = await response.text()
    const rows = text.split('\r\n')
    records += rows.length - 2
    sink.write(offset === 0 ? text : rows.slice(1).join('\r\n'))
    const next = response.headers.get('x-next-offset')
    if (next === null) break
    offset = Number(next)
  }
  await new Promise<void>((resolve, reject) => sink.once('error', reject).end(resolve))
  return { path, files: 1, records, bytes: sink.bytesWritten }
}
