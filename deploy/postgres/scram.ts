/**
 * Converts a password to the form that Postgres stores (RFC 5803), so that the server never receives or logs the
 * password itself.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/**
 * Minimum number of iterations by RFC 7677. The passwords are random keys, so more would only slow down each
 * connection.
 */
const iterations = 4096

export function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  const serverKey = hmac('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
