/** The API, through the client of the project: with the cookie as its credential, and the token of the session. */
import { Tidemark } from '@tidemark/sdk'
import { sessionEnded, writeToken } from './session.ts'

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
