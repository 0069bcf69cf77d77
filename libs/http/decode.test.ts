/** Bodies are decoded as their author wrote them, or to an error, and never to more than the allowed size. */

import zlib from 'node:zlib'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import t from 'tap'
import { acceptEncoding, decodeBody } from './decode.ts'
import { FetchError } from './fetch-error.ts'
import { encodingsOf } from './headers.ts'

const text = Buffer.from('Plain words, and enough of them to be worth packing. '.repeat(50))
const room = 100_000

const encoders: Record<string, [name: string, encode: (body: Buffer) => Buffer]> = {
  gzip: ['gzip', body => zlib.gzipSync(body)],
  'gzip by its old name': ['X-GZIP', body => zlib.gzipSync(body)],
  'gzip with a file name': ['gzip', body => named(zlib.gzipSync(body))],
  'gzip in two members': [
    'gzip',
    body => Buffer.concat([half(body, 0), half(body, 1)].map(part => zlib.gzipSync(part))),
  ],
  deflate: ['deflate', body => zlib.deflateSync(body)],
  'bare deflate': ['deflate', body => zlib.deflateRawSync(body)],
  brotli: ['br', body => zlib.brotliCompressSync(body)],
  zstd: ['zstd', body => zlib.zstdCompressSync(body)],
  'zstd in two frames': [
    'zstd',
    body => Buffer.concat([half(body, 0), half(body, 1)].map(part => zlib.zstdCompressSync(part))),
  ],
  'an unknown encoding': ['x-secret', body => body],
  'an encoding with the name of a method': ['__proto__', body => body],
  nothing: ['identity', body => body],
}

const half = (body: Buffer, which: number) =>
  which === 0 ? body.subarray(0, body.length >> 1) : body.subarray(body.length >> 1)

/** Returns the same member with rare header fields: extra, name, comment, header checksum (RFC 1952). */
function named(member: Buffer): Buffer {
  const header = Buffer.from(member.subarray(0, 10))
  header[3] = 4 + 8 + 16
  return Buffer.concat([header, Buffer.from('\x02\x00abname\0comment\0', 'latin1'), member.subarray(10)])
}

function codeOf(body: Buffer, encodings: string[], maxBytes = room): string {
  try {
    decodeBody(body, encodings, maxBytes)
    return 'decoded'
  } catch (error) {
    return error instanceof FetchError
      ? `${error.code}${error.transient ? ', may pass' : ''}`
      : `not a FetchError: ${error}`
  }
}

t.test('decodes every encoding that it accepts, for any content', async t => {
  t.equal(acceptEncoding, 'gzip, deflate, br, zstd')
  for (const [kind, [name, encode]] of Object.entries(encoders)) {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), bytes => {
        const body = Buffer.from(bytes)
        return decodeBody(encode(body), [name], room).equals(body)
      }),
      { numRuns: 50 },
    )
    t.ok(decodeBody(encode(text), [name], room).equals(text), kind)
  }
})

t.test('decodes two encodings in their order, and rejects more', async t => {
  const twice = zlib.brotliCompressSync(zlib.gzipSync(text))
  t.ok(decodeBody(twice, ['gzip', 'br'], room).equals(text))
  t.ok(decodeBody(twice, ['x-none', 'gzip', 'br'], room).equals(text), 'unknown ones are ignored')
  t.equal(codeOf(twice, ['br', 'gzip']), 'protocol')
  t.equal(codeOf(zlib.gzipSync(twice), ['gzip', 'br', 'gzip']), 'protocol')
})

t.test('reads the encodings of a response, without identity', async t => {
  t.same(encodingsOf({ 'content-encoding': 'GZIP, br' }), ['gzip', 'br'])
  t.same(encodingsOf({ 'content-encoding': 'identity, gzip,' }), ['gzip'])
  t.same(encodingsOf({ 'content-encoding': 'Identity' }), [], 'such a body is plain text')
  t.same(encodingsOf({}), [])
})

t.test('ignores data after the end, as browsers do', async t => {
  for (const [kind, [name, encode]] of Object.entries(encoders).slice(0, 9)) {
    for (const garbage of ['<!-- served from a cache -->', '\0\0\0\0', '\x1f', '\x1f\x8b']) {
      const body = Buffer.concat([encode(text), Buffer.from(garbage, 'latin1')])
      t.ok(decodeBody(body, [name], room).equals(text), `${kind} and ${JSON.stringify(garbage)}`)
    }
  }
})

t.test('an empty body is empty in every encoding', async t => {
  for (const name of ['gzip', 'deflate', 'br', 'zstd'])
    t.equal(decodeBody(Buffer.alloc(0), [name], room).length, 0)
})

t.test('fails if a body is cut short or has another format', async t => {
  for (const [name, encode] of Object.values(encoders).slice(0, 9)) {
    t.equal(codeOf(encode(text).subarray(0, -9), [name]), 'protocol', `${name}, cut short`)
    t.equal(codeOf(text, [name]), 'protocol', `${name}, and plain text`)
  }
})

t.test('passes over skippable frames of zstd', async t => {
  const skippable = (data: string, kind = 0, size = data.length) => {
    const header = Buffer.alloc(8)
    header.writeUInt32LE(0x184d2a50 + kind)
    header.writeUInt32LE(size, 4)
    return Buffer.concat([header, Buffer.from(data)])
  }
  const [first, second] = [zlib.zstdCompressSync('first'), zlib.zstdCompressSync('second')]
  const decoded = (...parts: Buffer[]) => decodeBody(Buffer.concat(parts), ['zstd'], room).toString()
  t.equal(decoded(first, skippable('note'), second), 'firstsecond', 'between frames')
  t.equal(decoded(skippable('a', 15), skippable('', 7), first), 'first', 'before the first frame')
  t.equal(decoded(first, skippable('note'), Buffer.from('garbage')), 'first', 'before data after the last')
  t.equal(decoded(skippable('only')), '', 'without a frame')
  t.equal(decoded(...Array<Buffer>(100_000).fill(skippable('')), first), 'first', 'in any number')
  const codeOfParts = (...parts: Buffer[]) => codeOf(Buffer.concat(parts), ['zstd'])
  t.equal(codeOfParts(first, skippable('cut', 0, 4)), 'protocol', 'one that is cut short')
  t.equal(codeOfParts(skippable('', 0, 2 ** 32 - 1), first), 'protocol')
  t.equal(codeOfParts(skippable('a'), text), 'protocol', 'and plain text')
})

t.test('stops a bomb at the maximum size', async t => {
  const zeros = Buffer.alloc(16 * 1_048_576)
  const windowed = { params: { [zlib.constants.ZSTD_c_windowLog]: 26 } }
  for (const [name, encode] of Object.values(encoders))
    t.equal(codeOf(encode(zeros), [name]), 'too_large', name)
  t.equal(codeOf(Buffer.concat([zlib.gzipSync(zeros), text]), ['gzip']), 'too_large', 'with data after it')
  t.equal(codeOf(zlib.gzipSync(zlib.gzipSync(zeros)), ['gzip', 'gzip']), 'too_large', 'packed twice')
  t.equal(
    codeOf(zlib.zstdCompressSync(Buffer.alloc(1 << 27), windowed), ['zstd'], 1 << 28),
    'protocol',
    'zstd with a window of 64 MB',
  )
  t.equal(codeOf(zlib.gzipSync(text), ['gzip'], text.length), 'decoded', 'exactly the maximum size')
  t.equal(codeOf(zlib.gzipSync(text), ['gzip'], text.length - 1), 'too_large', 'one byte more')
})

t.test('returns a result or an error for any bytes', async t => {
  const name = fc.constantFrom('gzip', 'deflate', 'br', 'zstd')
  const start = fc.constantFrom('', '\x1f\x8b\x08\x00', '\x1f\x8b\x08\x1e', '\x78\x9c', '\x28\xb5\x2f\xfd')
  const damaged = fc.tuple(name, start, fc.uint8Array({ maxLength: 300 }), fc.nat(text.length))
  const outcome = /^(decoded|protocol|too_large)$/
  const property = fc.property(damaged, ([encoding, head, tail, cut]) => {
    const made = Buffer.concat([Buffer.from(head, 'latin1'), tail])
    const broken = Buffer.concat([zlib.gzipSync(text).subarray(0, cut), tail])
    return [made, broken].every(body => outcome.test(codeOf(body, [encoding])))
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: sized(600, 2_000) }))
})

t.test('a body of a thousand members is rejected quickly', async t => {
  const members = Array<Buffer>(2_000).fill(zlib.gzipSync('a'))
  t.equal(decodeBody(Buffer.concat(members), ['gzip'], room).length, 2_000)
  t.equal(codeOf(Buffer.concat([...members, text]), ['gzip']), 'protocol', 'also with data after them')
  t.equal(codeOf(Buffer.concat(Array<Buffer>(200).fill(zlib.zstdCompressSync('a'))), ['zstd']), 'protocol')
})
