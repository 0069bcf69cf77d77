/**
 * Encrypts secrets of customers before they enter a stream, a table or a message: AES-256-GCM under the key of this
 * installation, with a fresh nonce for each. A dump without the key reveals nothing. A key can be replaced: each
 * sealed text names its key, and can be opened as long as that key is in the ring.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export type Sealer = {
  /** Encrypts any text. The result is ASCII and names its form and its key. */
  seal(text: string): string
  /** Decrypts a text of `seal`. @throws SecretUnreadable if no key of the ring sealed it, or it was changed. */
  open(sealed: string): string
  /**
   * Returns 64 hexadecimal digits that are equal for equal texts. Unlike a bare hash, guesses of the text cannot be
   * verified without the key. It uses the oldest key of the ring, so that a new key changes no fingerprint.
   */
  fingerprint(text: string): string
  /** Returns 64 hexadecimal digits that only a process with the newest key can compute for this text. */
  sign(text: string): string
  /** Returns whether a key of the ring has signed the text. */
  isSigned(text: string, signature: string): boolean
  /** Returns whether only the newest key opens it. */
  isNewest(sealed: string): boolean
}

/** Reports that no key of the ring sealed the text, or that it was changed. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable'
  readonly code = 'SECRET_UNREADABLE'
}

/** Returns the opened text; null if it cannot be read. */
export function openOrNull({ open }: Pick<Sealer, 'open'>, sealed: string): string | null {
  try {
    return open(sealed)
  } catch (error) {
    if (error instanceof SecretUnreadable) return null
    throw error
  }
}

/** The earlier form, which does not name its key. */
const namelessForm = 'sealed1.'
const form = 'sealed2.'
const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Returns a sealer. Keys are 32 bytes in hex.
 * @param newest seals and opens (SECRETS_KEY)
 * @param older only open, newest first (SECRETS_KEYS_OLD)
 */
export function sealer(newest: string, older: readonly string[] = []): Sealer {
  const key = bytesOf(newest, 'SECRETS_KEY')
  const ring = [key, ...older.map(old => bytesOf(old, 'Each of SECRETS_KEYS_OLD'))]
  const named = new Map(ring.toReversed().map(key => [nameOf(key), key]))
  const ofFingerprints = derived(ring.at(-1) ?? key, 'fingerprints')
  const beginning = `${form}${nameOf(key)}.`
  return {
    fingerprint: text => createHmac('sha256', ofFingerprints).update(text).digest('hex'),
    sign: text => signed(key, text).toString('hex'),

    isSigned(text, signature) {
      const given = Buffer.from(signature, 'hex')
      return ring.some(key => {
        const expected = signed(key, text)
        return given.length === expected.length && timingSafeEqual(given, expected)
      })
    },

    isNewest: sealed => sealed.startsWith(beginning),
    seal: text => beginning + sealedWith(key, text),

    open(sealed) {
      const [name, text] = partsOf(sealed)
      const keys = name === null ? ring : [named.get(name)].filter(key => key !== undefined)
      const errors: unknown[] = []
      for (const key of keys) {
        try {
          return opened(key, text)
        } catch (error) {
          errors.push(error)
        }
      }
      const cause = new AggregateError(
        errors,
        keys.length === 0 ? 'not sealed with a key of ours' : undefined,
      )
      throw new SecretUnreadable('A secret cannot be read with SECRETS_KEY, nor with an old one.', { cause })
    },
  }
}

/** Returns eight hexadecimal digits that identify a key and reveal nothing about it. */
export const secretKeyId = (keyHex: string): string => nameOf(bytesOf(keyHex, 'A key'))

function bytesOf(keyHex: string, what: string): Buffer {
  const key = Buffer.from(keyHex, 'hex')
  if (key.length !== 32) throw new Error(`${what} must be 32 bytes in hex.`)
  return key
}

const derived = (key: Buffer, purpose: string) => createHmac('sha256', key).update(purpose).digest()

const signed = (key: Buffer, text: string): Buffer =>
  createHmac('sha256', derived(key, 'signatures')).update(text).digest()

const nameOf = (key: Buffer): string => derived(key, 'name').toString('hex', 0, 4)

/** Returns null as the name for the earlier form, and an empty text if the input is not sealed. */
function partsOf(sealed: string): [name: string | null, text: string] {
  if (sealed.startsWith(namelessForm)) return [null, sealed.slice(namelessForm.length)]
  const [, name = '', text = ''] = /^sealed2\.([0-9a-f]{8})\.(.*)$/s.exec(sealed) ?? []
  return [name, text]
}

function sealedWith(key: Buffer, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce)
  const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat(sealed).toString('base64url')
}

function opened(key: Buffer, text: string): string {
  const bytes = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
}
