/** The request for a time-stamp (RFC 3161, 2.4.1), and the bytes that it covers. */
import { hash } from 'node:crypto'
import { der, tags } from './der.ts'

/** The request names the digest and the nonce, and the reply must have both. */
export type Wanted = { digest: Buffer; nonce: Buffer }

const sha256 = der(tags.oid, Buffer.from('608648016503040201', 'hex'))
const nonceBytes = 8

/**
 * Returns the SHA-256 of the stamped bytes: the signed text, a line feed, and the signature in base64. A signature
 * alone would not identify the text, because the holder of a weak key can make one that fits several texts.
 */
export const stampedDigest = (signedText: string, signature: string): Buffer =>
  hash('sha256', `${signedText}\n${signature}`, 'buffer')

/** Returns a positive nonce without a leading zero, so that its encoding always has the full length. */
export function nonceOf(random: Buffer): Buffer {
  const [first = 0, ...rest] = random.subarray(0, nonceBytes)
  return Buffer.of((first & 0x7f) | 0x40, ...rest)
}

/**
 * Returns the request in DER. It includes a request for the certificates, so that the token verifies without other
 * files.
 */
export function timeStampRequest({ digest, nonce }: Wanted): Buffer {
  const imprint = der(tags.sequence, der(tags.sequence, sha256, der(tags.null)), der(tags.octets, digest))
  const version = der(tags.integer, Buffer.of(1))
  const needsCertificates = der(tags.boolean, Buffer.of(0xff))
  return der(tags.sequence, version, imprint, der(tags.integer, nonce), needsCertificates)
}
