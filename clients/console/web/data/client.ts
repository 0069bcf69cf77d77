/** Calls the API through our TypeScript client. The cookie signs in. Writes also send the token of the session. */
import { Tidemark } from '@tidemark/sdk'
import { freshKey, renewToken, sessionEnded, signIn, writeToken } from './session.ts'

const reads = new Set(['GET', 'HEAD'])

export const tidemark = new Tidemark({
  baseUrl: '/console/api',
  maxRetries: 1,
  maxRetryAfter: 5,
  fetch: async (input, init = {}) => {
    const isWrite = !reads.has(init.method ?? 'GET')
    const send = (): Promise<Response> => {
      const headers = new Headers(init.headers)
      if (isWrite) headers.set('x-console-token', writeToken())
      return fetch(input, { ...init, headers })
    }
    const first = await send()
    const response = isWrite && first.status === 403 && (await renewToken()) ? await send() : first
    if (response.status === 401) sessionEnded()
    return response
  },
})

/**
 * Creates a key and ends all others after the grace period. Without one, it signs in with the new key, because the key
 * of the session ends at once.
 */
export async function rotateKeys({ label, graceSeconds }: { label: string; graceSeconds: number }) {
  const { api_key } = await tidemark.keys.rotate({
    ...(label !== '' && { label }),
    grace_seconds: graceSeconds,
  })
  freshKey.value = api_key
  if (graceSeconds === 0) await signIn(api_key)
}
