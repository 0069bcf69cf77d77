/** Responses that are too large, or that state a wrong size. */
import zlib from 'node:zlib'
import { raw, stream, times } from './answers.ts'
import { done, failed, type Site, type Visit } from './site.ts'

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n'
const tooLarge = failed(/larger than the limit/, { settledWithinMs: 30_000 })
const broken = failed(/not valid HTTP/)
const mebibyte = 1024 ** 2

const rows: Omit<Site, 'group'>[] = [
  {
    name: 'ten-gigabytes-in-chunks',
    serve: visit => stream(visit, times(Buffer.alloc(mebibyte / 4, '<p>words '), 40 * 1024)),
    expect: tooLarge,
  },
  { name: 'length-too-short', serve: lying('content-length: 10', 100), expect: done(1) },
  { name: 'length-too-long', serve: lying('content-length: 1000', 100), expect: broken },
  { name: 'length-negative', serve: lying('content-length: -5', 5), expect: broken },
  { name: 'length-twice', serve: lying('content-length: 5\r\ncontent-length: 6', 6), expect: broken },
  { name: 'gzip-bomb', serve: bomb('gzip', () => members(zlib.gzipSync(zeros(16)))), expect: tooLarge },
  {
    name: 'brotli-bomb',
    serve: bomb('br', () => zlib.brotliCompressSync(zeros(64), quick)),
    expect: tooLarge,
  },
  {
    name: 'zstd-bomb',
    serve: bomb('zstd', () => members(zlib.zstdCompressSync(zeros(16)))),
    expect: tooLarge,
  },
  { name: 'deflate-bomb', serve: bomb('deflate', () => zlib.deflateSync(zeros(64))), expect: tooLarge },
  {
    // Clients that reject this number of encodings need not decompress them.
    name: 'stacked-bomb',
    serve: bomb('gzip, gzip, gzip, gzip, gzip', stacked),
    expect: failed(/larger than the limit|not valid HTTP/, { settledWithinMs: 30_000 }),
  },
  {
    name: 'megabyte-of-header',
    serve: visit => raw(visit, `${head}x-huge: ${'a'.repeat(mebibyte)}\r\n\r\n`).end(),
    expect: tooLarge,
  },
  { name: 'five-thousand-headers', serve: manyHeaders, expect: done(1) },
  {
    name: 'cookie-of-64-kilobytes',
    serve: visit =>
      raw(visit, `${head}set-cookie: a=${'b'.repeat(65_536)}\r\ncontent-length: 2\r\n\r\nhi`).end(),
    expect: tooLarge,
  },
  {
    name: 'line-of-a-hundred-megabytes',
    serve: visit => stream(visit, times('a'.repeat(mebibyte), 100)),
    expect: tooLarge,
  },
]

export const size: Site[] = rows.map(row => ({ ...row, group: 'size' }))

function lying(header: string, bytes: number) {
  return (visit: Visit) => raw(visit, `${head}${header}\r\n\r\n${'a'.repeat(bytes)}`).end()
}

const quick = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }
const zeros = (mebibytes: number) => Buffer.alloc(mebibytes * mebibyte)
/** Both formats may have several consecutive streams, which are decoded together. */
const members = (packed: Buffer) => Buffer.concat(Array<Buffer>(64).fill(packed))

function stacked(): Buffer {
  let packed = zlib.gzipSync(zeros(64))
  for (let more = 0; more < 4; more++) packed = zlib.gzipSync(packed)
  return packed
}

/** Creates the body at the first request and then keeps it. Each body has at most about a mebibyte. */
function bomb(encoding: string, make: () => Buffer) {
  let made: Buffer | undefined
  return ({ response }: Visit): void => {
    made ??= make()
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding }).end(made)
  }
}

function manyHeaders({ response }: Visit): void {
  const headers = { 'content-type': 'text/html', 'x-1': Array<string>(5000).fill('2') }
  response.writeHead(200, headers).end('<p>a')
}
