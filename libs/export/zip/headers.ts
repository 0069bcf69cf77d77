/**
 * Headers of a zip file (APPNOTE 6.3.10). Files of unknown length are in the ZIP64 form with a data descriptor, all
 * others in the form that every reader knows.
 */

/** An entry after its data; before it, checksum and sizes are 0. Sizes in bytes; `isStreamed`: sizes follow the data. */
export type ZipEntry = {
  name: Buffer
  isStreamed: boolean
  isDeflated: boolean
  crc: number
  size: number
  packedSize: number
  /** Position of its local header. */
  offset: number
}

/** Date and time in the form of MS-DOS. */
export type DosTime = { date: number; time: number }

const maxUint16 = 0xffff
const maxUint32 = 0xffffffff
const utf8Names = 0x0800
const sizesFollow = 0x0008
/** The Unix mode of a regular file (rw-r--r--), in the upper 16 bits. */
const fileAttributes = 0o100644 * 0x10000
/** Version 6.3, on Unix. */
const madeBy = 0x033f
const versions = { plain: 20, zip64: 45 }

/** Returns a time in UTC, whatever the time zone of the machine. Years before 1980 and after 2107 are clamped. */
export function dosTime(time: Date): DosTime {
  const year = time.getUTCFullYear()
  if (!(year >= 1980)) return { date: 0x21, time: 0 }
  if (year > 2107) return { date: 0xff9f, time: 0xbf7d }
  return {
    date: ((year - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate(),
    time: (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1),
  }
}

export function localHeader(entry: ZipEntry, at: DosTime): Buffer {
  const extra = entry.isStreamed ? zip64Extra([0, 0]) : Buffer.alloc(0)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  writeCommon(header, entry, at, 4)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, entry.name, extra])
}

/** Returns the checksum and sizes that follow streamed data. */
export function dataDescriptor({ crc, packedSize, size }: ZipEntry): Buffer {
  const descriptor = Buffer.alloc(24)
  descriptor.writeUInt32LE(0x08074b50, 0)
  descriptor.writeUInt32LE(crc, 4)
  descriptor.writeBigUInt64LE(BigInt(packedSize), 8)
  descriptor.writeBigUInt64LE(BigInt(size), 16)
  return descriptor
}

export function directoryRecord(entry: ZipEntry, at: DosTime): Buffer {
  const isLarge = entry.isStreamed || entry.offset >= maxUint32
  const extra = isLarge ? zip64Extra([entry.size, entry.packedSize, entry.offset]) : Buffer.alloc(0)
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(madeBy, 4)
  writeCommon(header, entry, at, 6)
  if (isLarge) header.writeUInt16LE(versions.zip64, 6)
  if (isLarge) header.fill(0xff, 20, 28)
  header.writeUInt16LE(extra.length, 30)
  header.writeUInt32LE(fileAttributes, 38)
  header.writeUInt32LE(isLarge ? maxUint32 : entry.offset, 42)
  return Buffer.concat([header, entry.name, extra])
}

/** Writes the fields that both headers of an entry share, from the needed version to the length of the name. */
function writeCommon(header: Buffer, entry: ZipEntry, at: DosTime, start: number): void {
  const { isStreamed, isDeflated, crc, packedSize, size, name } = entry
  header.writeUInt16LE(isStreamed ? versions.zip64 : versions.plain, start)
  header.writeUInt16LE(utf8Names | (isStreamed ? sizesFollow : 0), start + 2)
  header.writeUInt16LE(isDeflated ? 8 : 0, start + 4)
  header.writeUInt16LE(at.time, start + 6)
  header.writeUInt16LE(at.date, start + 8)
  header.writeUInt32LE(crc, start + 10)
  header.writeUInt32LE(isStreamed ? maxUint32 : packedSize, start + 14)
  header.writeUInt32LE(isStreamed ? maxUint32 : size, start + 18)
  header.writeUInt16LE(name.length, start + 22)
}

function zip64Extra(numbers: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * numbers.length)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(8 * numbers.length, 2)
  for (const [n, number] of numbers.entries()) extra.writeBigUInt64LE(BigInt(number), 4 + 8 * n)
  return extra
}

/** Returns the end of the file, after a directory with this number of entries at this position. */
export function endOfZip(entries: number, offset: number, bytes: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(entries, maxUint16), 8)
  end.writeUInt16LE(Math.min(entries, maxUint16), 10)
  end.writeUInt32LE(Math.min(bytes, maxUint32), 12)
  end.writeUInt32LE(Math.min(offset, maxUint32), 16)
  const isLarge = entries >= maxUint16 || offset >= maxUint32 || bytes >= maxUint32
  return isLarge ? Buffer.concat([zip64End(entries, offset, bytes), end]) : end
}

/** Returns the end of a large directory, and its locator. */
function zip64End(entries: number, offset: number, bytes: number): Buffer {
  const end = Buffer.alloc(56 + 20)
  end.writeUInt32LE(0x06064b50, 0)
  end.writeBigUInt64LE(44n, 4)
  end.writeUInt16LE(madeBy, 12)
  end.writeUInt16LE(versions.zip64, 14)
  end.writeBigUInt64LE(BigInt(entries), 24)
  end.writeBigUInt64LE(BigInt(entries), 32)
  end.writeBigUInt64LE(BigInt(bytes), 40)
  end.writeBigUInt64LE(BigInt(offset), 48)
  end.writeUInt32LE(0x07064b50, 56)
  end.writeBigUInt64LE(BigInt(offset + bytes), 64)
  end.writeUInt32LE(1, 72)
  return end
}
