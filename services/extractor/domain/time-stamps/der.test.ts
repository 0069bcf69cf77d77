/** DER as a stranger sends it: every encoding but the one of the standard is rejected, and nothing is read beyond the bytes. */
import fc from 'fast-check'
import { test } from 'tap'
import { DerError, DerReader, der, readHex, readNumber, readOid, readTime, tags } from './der.ts'

const hex = (text: string) => Buffer.from(text, 'hex')
const derError = { name: 'DerError' }

/** Reads all elements, and those within constructed ones. Returns the number of their bytes. */
function readAll(bytes: Buffer): number {
  const reader = new DerReader(bytes)
  let read = 0
  while (!reader.isAtEnd) {
    const { tag, content, whole } = reader.next()
    read += whole.length
    if ((tag & 0x20) !== 0) readAll(content)
  }
  return read
}

test('DER', async t => {
  await t.test('is read as it was written, whatever the length', async t => {
    for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536, 1_000_000]) {
      const content = Buffer.alloc(length, 7)
      const reader = new DerReader(der(tags.octets, content))
      t.ok(reader.take(tags.octets).equals(content), `${length} bytes`)
      reader.end()
    }
    t.equal(der(tags.sequence, hex('05'), hex('00')).toString('hex'), '30020500')
  })

  await t.test('has one encoding of each value', async t => {
    const wrong: [string, string][] = [
      ['no byte', ''],
      ['no length', '04'],
      ['a short value', '0402ff'],
      ['no bytes of a length', '0482'],
      ['an indefinite length', '3080050000'],
      ['a long length of a short value', '048101ff'],
      ['a zero in front of a length', `04820080${'00'.repeat(128)}`],
      ['a length beyond all memory', '0484ffffffff00'],
      ['a length of five bytes', '04850000000001ff'],
      ['a tag of two bytes', '1f8101ff'],
    ]
    for (const [what, bytes] of wrong) t.throws(() => new DerReader(hex(bytes)).next(), derError, what)
    t.throws(() => new DerReader(hex('0500')).take(tags.sequence), derError)
    t.throws(() => new DerReader(hex('30000500')).enterLast(tags.sequence), derError)
    t.equal(new DerReader(hex('0500')).optional(tags.boolean), null)
    t.equal(new DerReader(hex('')).optional(tags.boolean), null)
  })

  await t.test('has numbers and hex', async t => {
    for (const [bytes, number] of [
      ['00', 0],
      ['7f', 127],
      ['0080', 128],
      ['7fffffff', 2_147_483_647],
    ] as const)
      t.equal(readNumber(hex(bytes)), number)
    for (const bytes of ['', '80', 'ff', '0000', '007f', '0100000000'])
      t.throws(() => readNumber(hex(bytes)), derError, bytes)
    for (const [bytes, text] of [
      ['00', '00'],
      ['00ff', 'ff'],
      ['0100', '0100'],
    ] as const)
      t.equal(readHex(hex(bytes)), text)
    for (const bytes of ['', '0001', 'ff80']) t.throws(() => readHex(hex(bytes)), derError, bytes)
  })

  await t.test('has object identifiers', async t => {
    for (const [bytes, text] of [
      ['2a864886f70d010702', '1.2.840.113549.1.7.2'],
      ['608648016503040201', '2.16.840.1.101.3.4.2.1'],
      ['883703', '2.999.3'],
      ['00', '0.0'],
    ] as const)
      t.equal(readOid(hex(bytes)), text)
    for (const bytes of ['', '80', '2a80', '2a8001', '2a86', '01'.repeat(65)])
      t.throws(() => readOid(hex(bytes)), derError, bytes)
  })

  await t.test('has times', async t => {
    for (const [text, iso] of [
      ['20260102030405Z', '2026-01-02T03:04:05.000Z'],
      ['20260102030405.6Z', '2026-01-02T03:04:05.600Z'],
      ['20280229235959.123456Z', '2028-02-29T23:59:59.123Z'],
    ] as const)
      t.equal(readTime(Buffer.from(text)), iso)
    for (const text of [
      '',
      '20260102030405',
      '20260102030405.0Z',
      '20260102030405.10Z',
      '20260102030405.Z',
      '20260102030405+0100',
      '202601020304Z',
      '20260230030405Z',
      '20261302030405Z',
      '20260102240405Z',
      '20260102030460Z',
      `20260102030405.${'1'.repeat(40)}Z`,
    ])
      t.throws(() => readTime(Buffer.from(text)), derError, text)
  })

  await t.test('of any bytes is read within them, or rejected', async () => {
    const nested = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.uint8Array({ maxLength: 300 }).map(bytes => der(tags.octets, bytes)),
        fc.array(tie('value'), { maxLength: 4 }).map(parts => der(tags.sequence, ...(parts as Buffer[]))),
      ),
    })).value as fc.Arbitrary<Buffer>
    const damaged = fc
      .tuple(nested, fc.nat(), fc.nat({ max: 255 }), fc.nat())
      .map(([bytes, at, byte, cut]) => {
        const changed = Buffer.from(bytes)
        changed[at % bytes.length] = byte
        return cut % 3 === 0 ? changed.subarray(0, cut % bytes.length) : changed
      })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 64 }).map(bytes => Buffer.from(bytes)),
          nested,
          damaged,
        ),
        bytes => {
          // Bytes that follow in the same memory must not change the result.
          const within = Buffer.concat([Buffer.alloc(9, 0x30), bytes, Buffer.alloc(70_000, 0x04)])
          const [alone, among] = [bytes, within.subarray(9, 9 + bytes.length)].map(resultOf)
          return alone === among && (alone === 'rejected' || alone === bytes.length)
        },
      ),
      { numRuns: 2_000 },
    )
    fc.assert(fc.property(nested, bytes => readAll(bytes) === bytes.length))
  })

  await t.test('values of any bytes are read or rejected', async () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), bytes =>
        [readNumber, readHex, readOid, readTime].every(read => {
          try {
            return read(Buffer.from(bytes)) !== undefined
          } catch (error) {
            return error instanceof DerError
          }
        }),
      ),
      { numRuns: 2_000 },
    )
  })
})

/** Throws everything but a `DerError`. */
function resultOf(bytes: Buffer): number | 'rejected' {
  try {
    return readAll(bytes)
  } catch (error) {
    if (error instanceof DerError) return 'rejected'
    throw error
  }
}
