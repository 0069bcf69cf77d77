/** WebCrypto, which Node 18 has only as a module. */

// A bundler for browsers must not resolve the name.
const moduleOfNode = 'node:crypto'

type WebCrypto = typeof globalThis.crypto

/** Returns the WebCrypto of the runtime. */
export const webCrypto = async (): Promise<WebCrypto> =>
  globalThis.crypto ?? ((await import(moduleOfNode)) as { webcrypto: WebCrypto }).webcrypto

/** Returns a new `Idempotency-Key`. */
export async function newKey(): Promise<string> {
  const bytes = (await webCrypto()).getRandomValues(new Uint8Array(16))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
