/** Saves the pages of a crawl: Markdown files, rows, or a file of an export. */
import { createWriteStream, rmSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import {
  ApiError,
  AttemptTimedOutError,
  ConnectionFailedError,
  type Export,
  type Tidemark,
} from '@tidemark/sdk'
import { type Context, exitCodes, textOption, UnsuccessfulError, UsageError } from './command.ts'
import { unzip } from './unzip.ts'

export type Saved = { path: string; files: number; records: number | null; bytes: number | null }

const exported = ['markdown', 'jsonl', 'parquet', 'warc', 'wacz', 'sitemap', 'graph'] as const
type Exported = (typeof exported)[number]
const formats = [...exported, 'csv'] as const
const attempts = 5
const pauseMs = 250

/** Options of the commands that save pages. */
export const saving = {
  out: { value: 'DIR', description: 'save the pages into this folder' },
  format: { value: 'FORMAT', description: `${formats.join(', ')}. Default: markdown` },
} as const

/** Returns the format of `--format`. */
export function formatOption(context: Context): Exported | 'csv' {
  const format = formats.find(one => one === (textOption(context, 'format') ?? 'markdown'))
  if (format === undefined) throw new UsageError(`--format must be one of ${formats.join(', ')}.`)
  return format
}

/** Saves the pages of a crawl that has ended into a folder. Throws an UnsuccessfulError if the export fails. */
export async function save(
  client: Tidemark,
  run: number,
  format: Exported | 'csv',
  out: string,
): Promise<Saved> {
  await mkdir(out, { recursive: true })
  if (format === 'csv') return inFolder(out, folder => saveRows(client, run, folder, out))
  const select = format === 'jsonl' ? { select: { include: ['markdown' as const, 'metadata' as const] } } : {}
  const request = await client.crawls.export(run, { format, ...select })
  const done = await client.exports.wait(request.id)
  if (done.status !== 'done')
    throw new UnsuccessfulError(`The export ${done.id} has failed: ${done.error?.message ?? done.status}.`)
  return inFolder(out, async folder => {
    const file = await download(client, done, folder)
    const { records, bytes } = done
    if (format === 'markdown') return { path: out, files: await unzip(file, out, folder), records, bytes }
    const path = join(out, basename(file))
    await rename(file, path)
    return { path, files: 1, records, bytes }
  })
}

/** Writes a file in a temporary folder, so that it has its name only when it is complete. Ctrl-C removes the folder, too. */
async function inFolder(out: string, write: (folder: string) => Promise<Saved>): Promise<Saved> {
  const folder = await mkdtemp(join(out, '.export-'))
  const interrupted = () => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(exitCodes.interrupted[0])
  }
  process.on('SIGINT', interrupted)
  try {
    return await write(folder)
  } finally {
    process.off('SIGINT', interrupted)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Downloads the file of an export. An interrupted download continues after the last byte. */
async function download(client: Tidemark, done: Export, folder: string): Promise<string> {
  let file = ''
  const size = () => (file === '' ? 0 : stat(file).then(({ size }) => size))
  return repeated(size, async () => {
    const response = await client.exports.download(await client.exports.get(done.id), await size())
    file ||= join(folder, nameOf(response, done))
    const sink = createWriteStream(file, { flags: response.status === 206 ? 'a' : 'w' })
    await pipeline(response.body === null ? [] : Readable.fromWeb(response.body as never), sink)
    return file
  })
}

/**
 * Repeats an interrupted attempt after a pause. The count of failures restarts after an attempt that stored more bytes.
 */
async function repeated<T>(bytes: () => number | Promise<number>, attempt: () => Promise<T>): Promise<T> {
  let maxSize = 0
  for (let failures = 0; ; ) {
    try {
      return await attempt()
    } catch (error) {
      const size = await bytes()
      failures = size > maxSize ? 1 : failures + 1
      maxSize = Math.max(maxSize, size)
      if (!isCut(error) || failures >= attempts) throw error
      await setTimeout(pauseMs * 2 ** failures)
    }
  }
}

/** Returns whether a retry may succeed: the service or the connection failed, and not the disk. */
const isCut = (error: unknown): boolean =>
  error instanceof ConnectionFailedError ||
  error instanceof AttemptTimedOutError ||
  (error instanceof ApiError && error.status >= 502)

function nameOf({ headers }: Response, { id, format }: Export): string {
  const [, name] = /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '') ?? []
  return basename(name ?? `export-${id}.${format}`).replace(/^\.+/, '') || `export-${id}`
}

/** Writes the rows of all parts, with one head. */
async function saveRows(client: Tidemark, id: number, folder: string, out: string): Promise<Saved> {
  let records = 0
  async function* parts() {
    for (let offset: number | null = 0; offset !== null; ) {
      const query = { format: 'csv', fields: 'title,depth,content_type', limit: 10_000, offset }
      const { text, next } = await repeated(none, async () => {
        const response = await client.request('listPages', { path: { id }, query }, 'text/csv')
        return { text: await response.text(), next: response.headers.get('x-next-offset') }
      })
      records += rowsOf(text) - 1
      yield offset === 0 ? text : text.slice(text.indexOf('\r\n') + 2)
      offset = next === null ? null : Number(next)
    }
  }
  const name = `crawl-${id}-pages.csv`
  const [file, path] = [join(folder, name), join(out, name)]
  const sink = createWriteStream(file)
  await pipeline(parts, sink)
  await rename(file, path)
  return { path, files: 1, records, bytes: sink.bytesWritten }
}

/**
 * Returns the stored bytes of an interrupted request for rows: none, because the next attempt requests all rows again.
 */
const none = () => 0

/** Returns the number of rows with the head. A cell in quotes may have line breaks. */
const rowsOf = (csv: string): number => csv.replaceAll(/"[^"]*"/g, '').split('\r\n').length - 1
