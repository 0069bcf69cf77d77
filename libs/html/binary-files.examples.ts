/** Beginnings of binary files, each with further bytes: enough to recognize them. */
import { gzipSync, zstdCompressSync } from 'node:zlib'

/** Returns a file that ends with a complete page. */
const file = (head: string): Buffer =>
  Buffer.concat([
    Buffer.from(head, 'latin1'),
    Buffer.from([0, 1, 2, 3, 0x80, 0xfe]),
    Buffer.from('<title>A title</title><h1>Words</h1><a href=/a>of a page</a>'),
  ])

export const binaryFiles: readonly [type: string, bytes: Buffer][] = [
  ['image/png', file('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
  ['image/jpeg', file('\xff\xd8\xff\xe0\0\x10JFIF\0')],
  ['image/jpeg', file('\xff\xd8\xff\xe1\0\x18Exif\0')],
  ['image/jpeg', file('\xff\xd8\xff\xdb\0C')],
  ['image/gif', file('GIF89a\x01\0\x01\0')],
  ['image/gif', file('GIF87a\x01\0\x01\0')],
  ['image/webp', file('RIFF\x24\0\0\0WEBPVP8 ')],
  ['image/avif', file('\0\0\0\x20ftypavif')],
  ['image/bmp', file('BM\x46\0\0\0\0\0\0\0')],
  ['image/tiff', file('II*\0\x08\0\0\0')],
  ['image/x-icon', file('\0\0\x01\0\x01\0')],
  ['video/mp4', file('\0\0\0\x18ftypmp42')],
  ['video/webm', file('\x1aE\xdf\xa3\x01')],
  ['video/avi', file('RIFF\x24\0\0\0AVI LIST')],
  ['audio/wave', file('RIFF\x24\0\0\0WAVEfmt ')],
  ['audio/mpeg', file('ID3\x03\0')],
  ['audio/mpeg', file('\xff\xfb\x90\0')],
  ['application/ogg', file('OggS\0\x02')],
  ['application/pdf', Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj', 'latin1')],
  ['application/pdf', Buffer.from('%PDF-1.4\nof ASCII')],
  ['application/zip', file('PK\x03\x04\x14\0')],
  ['application/gzip', gzipSync('<title>A title</title><p>Packed words of a page')],
  ['application/zstd', zstdCompressSync('<title>A title</title><p>Packed words of a page')],
  ['application/x-rar-compressed', file('Rar!\x1a\x07\0')],
  ['application/x-7z-compressed', file("7z\xbc\xaf'\x1c\0\x04")],
  ['application/x-bzip2', file('BZh91AY&SY')],
  ['application/x-xz', file('\xfd7zXZ\0')],
  ['font/woff', file('wOFF\0\x01\0\0')],
  ['font/woff2', file('wOF2\0\x01\0\0')],
  ['font/ttf', file('\0\x01\0\0\0\x0c')],
  ['font/otf', file('OTTO\0\x0c')],
  ['application/wasm', file('\0asm\x01')],
  ['application/vnd.sqlite3', file('SQLite format 3\0\x10')],
]

/** Pages that begin like a binary file, or have bytes that no page should have. */
export const textsLikeFiles: readonly string[] = [
  'PK is a key, and BM is a name. <p>Words',
  'GIF89a is a format of pictures. <p>Words',
  'ID3 tags name the singer. <p>Words',
  'RIFF, FORM, wOFF, OTTO and BZh: <p>Words',
  '<p>\x89PNG\r\n\x1a\n',
  '<!-- \0\x01\x02 --><p>Words',
  '\0\x01<p>Words',
  '\u00ff\u00fb<p>Words',
  ' %PDF <p>Words',
]
