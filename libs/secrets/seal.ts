/**
 * Secrets of customers, sealed before they enter a stream, a table or a message: AES-256-GCM under the key of
 * this installation, with a fresh nonce for each. What is sealed here can be opened by our services and by
 * nobody who only has a dump.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

export type Sealer = {
  /** Any text, as ASCII that names its own form. */
  seal(text: string): string
  /** @throws SecretUnreadable when it was sealed with another key or was changed. */
  open(sealed: string): string
  /**
   * 64 hexadecimal digits that equal texts share. Without the key nobody can try what the text was, as one could with
   * a bare hash of a password.
   */
  fingerprint(text: string): string
}

/** The key is another one, or the text was changed. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable'
  readonly code = 'SECRET_UNREADABLE'
}

const form = 'sealed1.'
const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** `keyHex` is 32 bytes in hex, as SECRETS_KEY has it. */
export function sealer(keyHex: string): Sealer {
  const key = Buffer.from(keyHex, 'hex')
  if (key.length !== 32) throw new Error('SECRETS_KEY must be 32 bytes in hex.')
  const ofFingerprints = createHmac('sha256', key).update('fingerprints').digest()
  return {
    fingerprint: text => createHmac('sha256', ofFingerprints).update(text).digest('hex'),

    seal(text) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce)
      const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return form + Buffer.concat(sealed).toString('base64url')
    },

    open(sealed) {
      try {
        return opened(key, sealed)
      } catch (cause) {
        throw new SecretUnreadable('A secret cannot be read with this SECRETS_KEY.', { cause })
      }
    },
  }
}

function opened(key: Buffer, sealed: string): string {
  if (!sealed.startsWith(form)) throw new Error('not sealed')
  const bytes = Buffer.from(sealed.slice(form.length), 'base64url')
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
}
