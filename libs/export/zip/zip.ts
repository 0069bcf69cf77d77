/**
 * Writes zip files while their content is made. Memory holds one small file or one piece of a large one, and the
 * directory. The bytes depend on the content and the given time only.
 */
import { pipeline, Readable } from 'node:stream'
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib'
import type { FileType } from '../format.ts'
import { PackedItems } from '../packed-items.ts'
import type { ExportSource } from '../page.ts'
import {
  type DosTime,
  dataDescriptor,
  directoryRecord,
  dosTime,
  endOfZip,
  localHeader,
  type ZipEntry,
} from './headers.ts'

/** A file in memory, or a stream of any length. Names are relative with `/`. */
export type ZipFile =
  | { name: string; data: Buffer }
  | { name: string; stream: AsyncIterable<Buffer>; isDeflated: boolean }

/** The type of a format that is a zip. */
export const zipType: FileType = { extension: 'zip', mediaType: 'application/zip' }

/** Returns a zip with these files. Their time is the end of the run. */
export const zipOf = (
  { run }: Pick<ExportSource, 'run'>,
  files: AsyncIterable<ZipFile> | Iterable<ZipFile>,
): AsyncGenerator<Buffer> => zip(files, new Date(run.finishedAt))

/** Yields a zip with these files in their order. `modified` is the time of every file. */
export async function* zip(
  files: AsyncIterable<ZipFile> | Iterable<ZipFile>,
  modified: Date,
): AsyncGenerator<Buffer> {
  const at = dosTime(modified)
  const directory = new PackedItems()
  let offset = 0
  for await (const file of files) {
    const entry = newEntry(file.name, offset)
    const pieces = 'data' in file ? wholeFile(file.data, entry, at) : streamedFile(file, entry, at)
    for await (const piece of pieces) {
      offset += piece.length
      yield piece
    }
    directory.add(directoryRecord(entry, at))
  }
  yield* directoryOf(directory, offset)
}

const newEntry = (name: string, offset: number): ZipEntry => ({
  name: Buffer.from(name),
  isStreamed: false,
  isDeflated: false,
  crc: 0,
  size: 0,
  packedSize: 0,
  offset,
})

function* wholeFile(data: Buffer, entry: ZipEntry, at: DosTime): Generator<Buffer> {
  const deflated = deflateRawSync(data)
  const isDeflated = deflated.length < data.length
  const packed = isDeflated ? deflated : data
  Object.assign(entry, { isDeflated, crc: crc32(data), size: data.length, packedSize: packed.length })
  yield localHeader(entry, at)
  yield packed
}

type StreamedFile = { stream: AsyncIterable<Buffer>; isDeflated: boolean }

async function* streamedFile(
  { stream, isDeflated }: StreamedFile,
  entry: ZipEntry,
  at: DosTime,
): AsyncGenerator<Buffer> {
  Object.assign(entry, { isStreamed: true, isDeflated })
  yield localHeader(entry, at)
  const measured = measure(stream, entry)
  for await (const piece of isDeflated ? deflated(measured) : measured) {
    entry.packedSize += piece.length
    yield piece
  }
  yield dataDescriptor(entry)
}

async function* measure(stream: AsyncIterable<Buffer>, entry: ZipEntry): AsyncGenerator<Buffer> {
  for await (const piece of stream) {
    entry.crc = crc32(piece, entry.crc)
    entry.size += piece.length
    yield piece
  }
}

/** Compresses a stream. An error of the stream destroys the compressor, whose reader then throws it. */
function deflated(stream: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  return pipeline(Readable.from(stream), createDeflateRaw(), () => {})
}

function* directoryOf(directory: PackedItems, offset: number): Generator<Buffer> {
  let bytes = 0
  for (let n = 0; n < directory.count; n++) {
    const record = directory.at(n)
    bytes += record.length
    yield record
  }
  yield endOfZip(directory.count, offset, bytes)
}
