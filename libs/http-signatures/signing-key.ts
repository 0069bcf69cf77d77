/** Reads Ed25519 private keys, and names them by the thumbprint of their public key (RFC 7638, RFC 8037). */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto'

/** The public key as a JWK (RFC 8037). */
export type PublicJwk = { kty: 'OKP'; crv: 'Ed25519'; x: string }

export type SigningKey = {
  /** The thumbprint of the public key: 43 characters. */
  keyid: string
  jwk: PublicJwk
  /** Returns the 64 bytes of the Ed25519 signature. */
  sign(text: string): Buffer
}

/** The bytes of PKCS #8 before the seed (RFC 8410, section 7). */
const beforeSeed = Buffer.from('302e020100300506032b657004220420', 'hex')
const isSeed = /^[A-Za-z\d+/_-]{43}=?$/
/** The thumbprint of the key in RFC 9421, appendix B.1.4. Its private part is public. */
const published = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U'

/**
 * Returns a key.
 * @param text PKCS #8 as PEM, also with `\n` instead of line breaks, or the seed of 32 bytes in base64
 * @throws Error if it is not an Ed25519 private key
 */
export function readSigningKey(text: string): SigningKey {
  const key = text.includes('-----BEGIN') ? ofPem(text) : ofSeed(text)
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  const jwk: PublicJwk = { kty: 'OKP', crv: 'Ed25519', x }
  return { keyid: thumbprintOf(jwk), jwk, sign: text => sign(null, Buffer.from(text), key) }
}

/** Returns why a text is not a key for this installation, or null. The result does not repeat the text. */
export function signingKeyFault(text: string): string | null {
  try {
    const isPublished = readSigningKey(text).keyid === published
    return isPublished ? 'must not be the key of RFC 9421, which everyone knows' : null
  } catch {
    return 'must be an Ed25519 private key: its seed of 32 bytes in base64, or PKCS #8 as PEM'
  }
}

/** Returns the thumbprint of a public key: SHA-256 of its required members, sorted by name, in base64url. */
export const thumbprintOf = ({ crv, kty, x }: PublicJwk): string =>
  hash('sha256', JSON.stringify({ crv, kty, x }), 'base64url')

function ofPem(text: string): KeyObject {
  const key = createPrivateKey(text.replaceAll('\\n', '\n'))
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${key.asymmetricKeyType} is not Ed25519`)
  return key
}

function ofSeed(text: string): KeyObject {
  if (!isSeed.test(text)) throw new Error('not 32 bytes in base64')
  const key = Buffer.concat([beforeSeed, Buffer.from(text, 'base64')])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}
