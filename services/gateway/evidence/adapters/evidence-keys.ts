/** The keys that sign evidence: the current one from EVIDENCE_KEY, and the public parts of former ones. */
import { createPublicKey } from 'node:crypto'
import type { EvidenceKeys } from '@tidemark/contracts/http/evidence'
import { type PublicJwk, readSigningKey, thumbprintOf } from '@tidemark/http-signatures/signing-key'
import type { Signer } from '../domain/signed.ts'

export type EvidenceKeyring = {
  /** Null: this installation signs no evidence. */
  signer: Signer | null
  /** The keys that verify, the current one first. */
  published: EvidenceKeys['keys']
}

/** Reads the keys. The settings are checked before: see `formerKeyFault`. */
export function openEvidenceKeys(settings: {
  EVIDENCE_KEY: string
  EVIDENCE_KEYS_OLD: readonly string[]
}): EvidenceKeyring {
  const current = settings.EVIDENCE_KEY === '' ? null : readSigningKey(settings.EVIDENCE_KEY)
  const jwks = [...(current ? [current.jwk] : []), ...settings.EVIDENCE_KEYS_OLD.map(publicJwk)]
  const byId = new Map(jwks.map(jwk => [thumbprintOf(jwk), jwk]))
  return { signer: current, published: Array.from(byId, ([kid, jwk]) => shown(kid, jwk)) }
}

/** Returns why a text is not a former key, or null. The result does not repeat the text, which may be a private key. */
export function formerKeyFault(text: string): string | null {
  try {
    publicJwk(text)
    return null
  } catch {
    return 'must be Ed25519 public keys as PEM, as pem of /v1/evidence-keys, and no private keys'
  }
}

/** `createPublicKey` would also accept a private key, or skip further keys, and their owner would not notice. */
const onePublicKey = /^-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----\s*$/

function publicJwk(text: string): PublicJwk {
  const pem = text.replaceAll('\\n', '\n')
  if (!onePublicKey.test(pem)) throw new Error('not one public key')
  const key = createPublicKey(pem)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${key.asymmetricKeyType} is not Ed25519`)
  const { x = '' } = key.export({ format: 'jwk' })
  return { kty: 'OKP', crv: 'Ed25519', x }
}

function shown(kid: string, jwk: PublicJwk): EvidenceKeys['keys'][number] {
  const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
  return { ...jwk, kid, use: 'sig', pem: String(pem) }
}
