/** Records of WARC 1.1, each compressed on its own so that readers can start at any of them. */
import { createHash, hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export type WarcRecord = {
  type: 'warcinfo' | 'response' | 'resource' | 'conversion' | 'metadata'
  id: string
  /** ISO 8601 in UTC. */
  date: string
  contentType: string
  /** Further fields in order, without line breaks. */
  fields: readonly (readonly [name: string, value: string])[]
  /** The block in pieces. */
  block: readonly Buffer[]
}

const compress = promisify(gzip)
/** Namespace of our record ids, itself a random UUID. */
const namespace = Buffer.from('9c1f7a5e3b0d4d6aa8f2c47be10d95c3', 'hex')

/** Returns the id of a record: a UUID of version 5 (RFC 9562) over the values that identify it. */
export function recordId(...identity: readonly (string | number)[]): string {
  const digest = createHash('sha1')
    .update(namespace)
    .update(JSON.stringify(identity))
    .digest()
    .subarray(0, 16)
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  return `<urn:uuid:${digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}>`
}

/** Returns the digest of a payload in the form of the field. */
export const digestOf = (data: Buffer): string => `sha256:${hash('sha256', data)}`

/** Returns the record as one member of gzip. */
export async function packedRecord({
  type,
  id,
  date,
  contentType,
  fields,
  block,
}: WarcRecord): Promise<Buffer> {
  const digest = createHash('sha256')
  for (const piece of block) digest.update(piece)
  const all = [
    ['WARC-Type', type],
    ['WARC-Record-ID', id],
    ['WARC-Date', date],
    ...fields,
    ['WARC-Block-Digest', `sha256:${digest.digest('hex')}`],
    ['Content-Type', contentType],
    ['Content-Length', String(block.reduce((bytes, { length }) => bytes + length, 0))],
  ] as const
  const head = `WARC/1.1\r\n${all.map(([name, value]) => `${name}: ${oneLine(value)}\r\n`).join('')}\r\n`
  return compress(Buffer.concat([Buffer.from(head), ...block, Buffer.from('\r\n\r\n')]))
}

/** Replaces controls, which would end a field. */
export const oneLine = (value: string): string => value.replace(/\p{Cc}/gu, ' ')

/** Returns a URL in ASCII without spaces. URLs in normal form are unchanged. */
export const warcUri = (url: string): string =>
  url.toWellFormed().replace(/[^\x21-\x7e]/gu, character => encodeURIComponent(character))
