/** Unpacks the ZIP of an export of Markdown into a folder. No entry can leave the folder. */
import { mkdir, open, rename, writeFile } from 'node:fs/promises'
import { dirname, join, normalize, sep } from 'node:path'
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'

type Entry = { name: string; method: number; size: number; at: number }

const endLength = 22
/** Length of the ZIP64 locator, which is directly before the end record of the archive. */
const locatorLength = 20
const maxComment = 65_535
const inflate = promisify(inflateRaw)

/**
 * Returns the number of files. A file has its name only when it is complete.
 * @param temporary A folder of the same file system for the file that is being written.
 */
export async function unzip(file: string, folder: string, temporary: string): Promise<number> {
  const part = join(temporary, 'part')
  const handle = await open(file)
  try {
    const read = async (at: number, length: number) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at)
      return buffer.subarray(0, bytesRead)
    }
    const { size } = await handle.stat()
    const entries = await entriesOf(read, size)
    const files = entries.filter(({ name }) => !name.endsWith('/'))
    for (const { name, method, size, at } of files) {
      const head = await read(at, 30)
      const data = await read(at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28), size)
      const target = targetIn(folder, name)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(part, method === 0 ? data : await inflate(data))
      await rename(part, target)
    }
    return files.length
  } finally {
    await handle.close()
  }
}

function targetIn(folder: string, name: string): string {
  const path = normalize(name.replaceAll('\\', '/'))
  if (path.startsWith('..') || path.startsWith(sep) || /^[a-z]:/i.test(path) || path.includes('\0'))
    throw new Error(`The archive has an entry outside its folder: ${name}`)
  return join(folder, path)
}

/** Reads the central directory, which is complete even if the entries were streamed. */
async function entriesOf(
  read: (at: number, length: number) => Promise<Buffer>,
  size: number,
): Promise<Entry[]> {
  const tailAt = Math.max(0, size - endLength - maxComment)
  const tail = await read(tailAt, size - tailAt)
  const end = tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (end < 0) throw new Error('The file of the export is not a ZIP archive.')
  let [count, length, start] = [
    tail.readUInt16LE(end + 10),
    tail.readUInt32LE(end + 12),
    tail.readUInt32LE(end + 16),
  ]
  const locator = end - locatorLength
  if (locator >= 0 && tail.toString('latin1', locator, locator + 4) === 'PK\x06\x07') {
    const large = await read(Number(tail.readBigUInt64LE(locator + 8)), 56)
    count = Number(large.readBigUInt64LE(32))
    length = Number(large.readBigUInt64LE(40))
    start = Number(large.readBigUInt64LE(48))
  }
  const directory = await read(start, length)
  const entries: Entry[] = []
  for (let at = 0; entries.length < count; ) {
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28)
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30)
    entries.push({
      name: directory.toString('utf8', at + 46, nameEnd),
      method: directory.readUInt16LE(at + 10),
      ...sizeAndPosition(directory, at, nameEnd, extraEnd),
    })
    at = extraEnd + directory.readUInt16LE(at + 32)
  }
  return entries
}

/** Returns size and position; values that need 64 bits are in the extra field 1. */
function sizeAndPosition(directory: Buffer, at: number, nameEnd: number, extraEnd: number) {
  const plain = [24, 20, 42].map(offset => directory.readUInt32LE(at + offset))
  for (let field = nameEnd; field < extraEnd; field += 4 + directory.readUInt16LE(field + 2)) {
    if (directory.readUInt16LE(field) !== 1) continue
    let value = field + 4
    for (const [n, number] of plain.entries()) {
      if (number !== 0xffffffff) continue
      plain[n] = Number(directory.readBigUInt64LE(value))
      value += 8
    }
  }
  const [, size = 0, position = 0] = plain
  return { size, at: position }
}
