/**
 * Reads and writes DER (X.690), as far as time-stamps need it. The reader accepts no other encoding of a value, never
 * reads beyond its bytes, and throws nothing but `DerError`.
 */

export class DerError extends Error {
  override readonly name = 'DerError'
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** Returns the tag `[n]` of a constructed value. */
export const context = (n: number): number => 0xa0 | n

/** `whole` includes the tag and the length. */
export type Element = { tag: number; content: Buffer; whole: Buffer }

const maxLengthBytes = 4
const maxOidBytes = 64
const maxTimeBytes = 32

export class DerReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  /** Returns the next element, whatever its tag. */
  next(): Element {
    const start = this.#at
    const tag = this.#byte()
    if ((tag & 0x1f) === 0x1f) throw new DerError('a tag has several bytes')
    const length = this.#length()
    if (length > this.#bytes.length - this.#at) throw new DerError('a value ends before its length')
    const content = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return { tag, content, whole: this.#bytes.subarray(start, this.#at) }
  }

  /** Returns the content of the next element, which must have this tag. */
  take(tag: number): Buffer {
    const found = this.next()
    if (found.tag !== tag) throw new DerError(`tag ${found.tag} stands where ${tag} is expected`)
    return found.content
  }

  /** Returns the content of the next element if it has this tag, and null otherwise. */
  optional(tag: number): Buffer | null {
    return this.#bytes[this.#at] === tag ? this.take(tag) : null
  }

  /** Returns a reader of the content of the next element, which must have this tag. */
  enter(tag: number): DerReader {
    return new DerReader(this.take(tag))
  }

  /** Returns a reader of the content of the next element, which must have this tag and be the last one. */
  enterLast(tag: number): DerReader {
    const inner = this.enter(tag)
    this.end()
    return inner
  }

  /** Throws if anything follows. */
  end(): void {
    if (!this.isAtEnd) throw new DerError('bytes follow the last value')
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new DerError('the bytes end within a value')
    this.#at++
    return byte
  }

  #length(): number {
    const first = this.#byte()
    if (first < 0x80) return first
    const count = first & 0x7f
    if (count === 0 || count > maxLengthBytes) throw new DerError('a length is indefinite or too long')
    let length = 0
    for (let n = 0; n < count; n++) length = length * 256 + this.#byte()
    if (length < 0x80 || length < 256 ** (count - 1))
      throw new DerError('a length has more bytes than needed')
    return length
  }
}

/** Returns a small number that is not negative. */
export function readNumber(content: Buffer): number {
  const [first = 0x80] = integerBytes(content)
  if (first >= 0x80 || content.length > maxLengthBytes) throw new DerError('a number is out of range')
  return content.readUIntBE(0, content.length)
}

/** Returns an integer in hex, without the byte for its sign. */
export const readHex = (content: Buffer): string =>
  integerBytes(content)
    .toString('hex')
    .replace(/^00(?=.)/, '')

function integerBytes(content: Buffer): Buffer {
  const [first, second] = content
  if (first === undefined) throw new DerError('an integer is empty')
  const isPadded =
    second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))
  if (isPadded) throw new DerError('an integer has more bytes than needed')
  return content
}

/** Returns an object identifier as numbers with dots. */
export function readOid(content: Buffer): string {
  if (content.length === 0 || content.length > maxOidBytes || (content.at(-1) ?? 0x80) >= 0x80)
    throw new DerError('an object identifier is empty, cut or too long')
  const arcs: bigint[] = []
  let arc: bigint | null = null
  for (const byte of content) {
    if (arc === null && byte === 0x80) throw new DerError('an object identifier has more bytes than needed')
    arc = ((arc ?? 0n) << 7n) | BigInt(byte & 0x7f)
    if (byte >= 0x80) continue
    arcs.push(arc)
    arc = null
  }
  const [first = 0n, ...rest] = arcs
  const root = first < 80n ? first / 40n : 2n
  return [root, first - root * 40n, ...rest].join('.')
}

/** Returns a GeneralizedTime in RFC 3339, cut to milliseconds. */
export function readTime(content: Buffer): string {
  const text = content.length > maxTimeBytes ? '' : content.toString('latin1')
  const [, year, month, day, hour, minute, second, fraction = ''] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d*[1-9]))?Z$/.exec(text) ?? []
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  const ms = Date.parse(iso)
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== iso) throw new DerError('a time is invalid')
  return iso
}

/** Returns an element with this content. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag), lengthBytes(content.length), content])
}

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  const hex = length.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes])
}
