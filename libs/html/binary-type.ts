/**
 * Detects binary files by their first bytes (WHATWG MIME Sniffing, section 6), because servers send images, archives
 * and fonts as `text/html`. Except for PDF and PostScript, a signature counts only beside a byte that no text has, so a
 * page is never mistaken for a file.
 */

type Signature = {
  type: string
  /** Bytes at offsets, one Latin-1 character per byte. All must match. */
  marks: readonly (readonly [at: number, mark: string])[]
  /** Whether the signature also counts without a byte that no text has. */
  isText?: true
}

const is = (type: string, mark: string): Signature => ({ type, marks: [[0, mark]] })
const parted = (type: string, head: string, at: number, kind: string): Signature => ({
  type,
  marks: [
    [0, head],
    [at, kind],
  ],
})

/** The first match wins. */
const signatures: readonly Signature[] = [
  { ...is('application/pdf', '%PDF-'), isText: true },
  { ...is('application/postscript', '%!PS-Adobe-'), isText: true },
  is('image/png', '\x89PNG'),
  parted('image/jpeg', '\xff\xd8\xff', 6, 'JFIF'),
  parted('image/jpeg', '\xff\xd8\xff', 6, 'Exif'),
  is('image/jpeg', '\xff\xd8\xff'),
  is('image/gif', 'GIF87a'),
  is('image/gif', 'GIF89a'),
  parted('image/webp', 'RIFF', 8, 'WEBPVP'),
  parted('image/avif', '\0\0\0', 4, 'ftypavif'),
  parted('image/heic', '\0\0\0', 4, 'ftypheic'),
  parted('image/heic', '\0\0\0', 4, 'ftypmif1'),
  parted('image/bmp', 'BM', 6, '\0\0\0\0'),
  is('image/tiff', 'II*\0'),
  is('image/tiff', 'MM\0*'),
  is('image/x-icon', '\0\0\x01\0'),
  is('image/x-icon', '\0\0\x02\0'),
  is('image/vnd.adobe.photoshop', '8BPS\0'),
  is('image/jxl', '\0\0\0\x0cJXL '),
  parted('video/mp4', '\0\0', 4, 'ftyp'),
  is('video/webm', '\x1aE\xdf\xa3'),
  parted('video/avi', 'RIFF', 8, 'AVI '),
  is('video/x-flv', 'FLV\x01'),
  parted('audio/wave', 'RIFF', 8, 'WAVE'),
  parted('audio/aiff', 'FORM', 8, 'AIFF'),
  is('audio/mpeg', 'ID3'),
  is('audio/mpeg', '\xff\xfb'),
  is('audio/mpeg', '\xff\xf3'),
  is('audio/mpeg', '\xff\xf2'),
  is('audio/midi', 'MThd\0\0\0\x06'),
  is('audio/flac', 'fLaC\0'),
  is('application/ogg', 'OggS\0'),
  is('font/woff', 'wOFF'),
  is('font/woff2', 'wOF2'),
  is('font/ttf', '\0\x01\0\0'),
  is('font/otf', 'OTTO'),
  is('font/collection', 'ttcf'),
  is('application/gzip', '\x1f\x8b\x08'),
  is('application/zip', 'PK\x03\x04'),
  is('application/zip', 'PK\x05\x06'),
  is('application/x-rar-compressed', 'Rar!\x1a\x07'),
  is('application/x-7z-compressed', "7z\xbc\xaf'\x1c"),
  is('application/x-bzip2', 'BZh91AY&SY'),
  is('application/x-xz', '\xfd7zXZ\0'),
  is('application/zstd', '(\xb5/\xfd'),
  is('application/x-ole-storage', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
  is('application/wasm', '\0asm'),
  is('application/x-executable', '\x7fELF'),
  is('application/x-msdownload', 'MZ\x90\0'),
  is('application/vnd.sqlite3', 'SQLite format 3\0'),
]

const byFirstByte = new Map<number, Signature[]>()
for (const signature of signatures) {
  const first = signature.marks[0]?.[1].charCodeAt(0) ?? 0
  byFirstByte.set(first, [...(byFirstByte.get(first) ?? []), signature])
}

/** Number of bytes that are inspected. */
export const sniffedBytes = 1445
/** Control characters of texts: tab, line feed, form feed, carriage return, escape. */
const textControls = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b])
/** Returns whether a byte is a "binary data byte", which no text has. */
export const isBinaryByte = (byte: number): boolean => byte < 0x20 && !textControls.has(byte)

/** Returns the media type of a binary file, or null if it may be text. */
export function binaryTypeOf(bytes: Uint8Array): string | null {
  const found = byFirstByte.get(bytes[0] ?? -1)
  return found === undefined
    ? null
    : typeAmong(found, Buffer.from(bytes.subarray(0, sniffedBytes)).toString('latin1'))
}

/** Returns the media type of a binary file that was decoded as text in any encoding, or null if it may be text. */
export function binaryTypeOfText(text: string): string | null {
  const head = Array.from(text.slice(0, sniffedBytes), byteOf).join('')
  return typeAmong(signatures, head)
}

function typeAmong(among: readonly Signature[], head: string): string | null {
  const found = among.find(signature => fits(signature, head) && (signature.isText || hasBinaryByte(head)))
  return found?.type ?? null
}

function hasBinaryByte(head: string): boolean {
  for (let n = 0; n < head.length; n++) if (isBinaryByte(head.charCodeAt(n))) return true
  return false
}

/**
 * Returns whether a signature matches. A character that was lost in decoding matches any byte, but most bytes must be
 * intact.
 */
function fits({ marks }: Signature, head: string): boolean {
  let [kept, all] = [0, 0]
  for (const [at, mark] of marks) {
    for (let n = 0; n < mark.length; n++) {
      const character = head[at + n]
      if (character === mark[n]) kept++
      else if (character !== lost) return false
      all++
    }
  }
  return kept * 2 > all
}

const lost = '\ufffd'

/** Bytes of characters in windows-1252. Missing ones are unchanged. */
const bytes1252 = new Map<string, string>()
for (let byte = 0x80; byte < 0xa0; byte++) {
  bytes1252.set(new TextDecoder('windows-1252').decode(Uint8Array.of(byte)), String.fromCharCode(byte))
}
const byteOf = (character: string): string => bytes1252.get(character) ?? character
