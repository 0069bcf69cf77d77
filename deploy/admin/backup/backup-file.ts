/**
 * Writes and reads the files of a backup. A file is flushed to the disk, and its size and hash are computed while it is
 * written.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { BackupFile } from './manifest.ts'

type Source = AsyncIterable<Uint8Array>

/** Writes a source to a file and returns its size and SHA-256. `isPacked` compresses it with zstd. */
export async function writeBackupFile(
  folder: string,
  file: string,
  source: Source,
  isPacked: boolean,
): Promise<BackupFile> {
  const hash = createHash('sha256')
  let bytes = 0
  async function* measured(chunks: Source) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  const target = path.join(folder, file)
  await fs.mkdir(path.dirname(target), { recursive: true, mode: 0o700 })
  const written = createWriteStream(target, { mode: 0o600, flush: true })
  if (isPacked) await pipeline(source, createZstdCompress(), measured, written)
  else await pipeline(source, measured, written)
  return { file, bytes, sha256: hash.digest('hex') }
}

/** Returns the chunks of a file that `writeBackupFile` wrote. It reads at most 512 KB at once. */
export function readBackupFile(folder: string, { file }: BackupFile, isPacked: boolean): Source {
  const read = createReadStream(path.join(folder, file), { highWaterMark: 512 * 1024 })
  if (!isPacked) return read
  const unpacked = createZstdDecompress()
  read.on('error', error => unpacked.destroy(error))
  return read.pipe(unpacked)
}
