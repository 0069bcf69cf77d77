/** The API, through the client of the project: with the cookie as its credential, and the token of the session. */
import { Tidemark } from '@tidemark/sdk'
import { freshKey, sessionEnded, signIn, writeToken } from './session.ts'

const reads = new Set(['GET', 'HEAD'])

export const tidemark = new Tidemark({
  baseUrl: '/console/api',
  maxRetries: 1,
  maxRetryAfter: 5,
  fetch: async (input, init = {}) => {
    const headers = new Headers(init.headers)
    if (!reads.has(init.method ?? 'GET')) headers.set('x-console-token', writeToken())
    const response = await fetch(input, { ...init, headers })
    if (response.status === 401) sessionEnded()
    return response
  },
})

/** Creates a key and ends all others after the grace. The key of this session is one of them, so the new one replaces it. */
export async function rotateKeys({ label, graceSeconds }: { label: string; graceSeconds: number }) {
  const { api_key } = await tidemark.keys.rotate({
    ...(label !== '' && { label }),
    grace_seconds: graceSeconds,
  })
  freshKey.value = api_key
  if (graceSeconds === 0) await signIn(api_key)
}
