/** Sends one HTTP request to the running instance, without a client library. */
import http from 'node:http'

export type Answer = { status: number; text: string }
export type CallOptions = { key?: string; body?: unknown }

const limitMs = 30_000

/**
 * Returns the response, whatever its status. Rejects without a response within 30 s. Over TLS the certificate is not
 * verified: it is the instance's own, for its public name.
 */
export async function call(
  base: string,
  method: string,
  path: string,
  { key, body }: CallOptions = {},
): Promise<Answer> {
  const { request: begin } = base.startsWith('https:') ? await import('node:https') : http
  return new Promise((resolve, reject) => {
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const request = begin(
      base + path,
      { method, headers, timeout: limitMs, agent: false, rejectUnauthorized: false },
      response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', data => (text += data))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      },
    )
    request.on('timeout', () =>
      request.destroy(new Error(`no answer from ${base}${path} in ${limitMs / 1000} s`)),
    )
    request.on('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
