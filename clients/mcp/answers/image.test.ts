/** Screenshots become small images of the top of a page. */
import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { test } from 'tap'
import { smallImage } from './image.ts'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** Returns a file whose rows use the five filters in turn. All its pixels have one colour. */
function png(width: number, height: number, colour: readonly number[]): string {
  const channels = colour.length
  const row = (filter: number, y: number) =>
    Buffer.from([filter, ...Array.from({ length: width * channels }, (_, n) => filtered(filter, n, y))])
  function filtered(filter: number, n: number, y: number): number {
    const value = colour[n % channels] ?? 0
    const [left, up] = [n < channels ? 0 : value, y === 0 ? 0 : value]
    const predicted = [0, left, up, (left + up) >> 1, Math.max(left, up)][filter] ?? 0
    return (value - predicted) & 0xff
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, channels === 4 ? 6 : 2], 8)
  // Below the first five, each row is the one five rows above it.
  const firsts = Array.from({ length: 10 }, (_, y) => row(y % 5, y))
  const rows = Buffer.concat(
    Array.from({ length: height }, (_, y) => firsts[y < 10 ? y : 5 + (y % 5)] ?? Buffer.of()),
  )
  const parts = [chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([signature, ...parts]).toString('base64')
}

/** Returns size and colours of an image that `smallImage` wrote. */
function read(base64: string) {
  const file = Buffer.from(base64, 'base64')
  const [width, height, length] = [file.readUInt32BE(16), file.readUInt32BE(20), file.readUInt32BE(33)]
  const rows = inflateSync(file.subarray(41, 41 + length))
  const colours = new Set<string>()
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * (width * 3 + 1) + 1 + x * 3
      colours.add(rows.subarray(at, at + 3).toString('hex'))
    }
  return { width, height, colours: [...colours] }
}

test('A screenshot becomes small', async t => {
  for (const colour of [
    [200, 100, 50],
    [200, 100, 50, 255],
  ]) {
    const image = smallImage(png(1280, 4_000, colour), 4_000)
    const { width, height, colours } = read(image?.data ?? '')
    t.strictSame(colours, ['c86432'], 'with its colours, whatever the filters')
    t.ok(width <= 640 && height === Math.floor(width * 1.5), `${width} × ${height}`)
    t.ok(image && image.tokens <= 1_600)
  }
  const small = smallImage(png(1280, 4_000, [1, 2, 3]), 500)
  t.ok(small && small.tokens <= 200, 'it takes at most two fifths of a small budget')
  t.strictSame(read(smallImage(png(20, 10, [1, 2, 3]), 4_000)?.data ?? '').width, 20, 'it is never enlarged')
})

test('Damaged files have no image', async t => {
  const whole = Buffer.from(png(100, 100, [1, 2, 3]), 'base64')
  for (const file of [Buffer.alloc(0), Buffer.from('GIF89a'), whole.subarray(0, 50), Buffer.alloc(200)])
    t.equal(smallImage(file.toString('base64'), 4_000), null)
})
