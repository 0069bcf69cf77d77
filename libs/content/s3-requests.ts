/**
 * Requests to a bucket of a store that speaks S3: signed by aws4fetch, with the hash of what is sent, so that the store
 * refuses what was damaged on its way; they go out by node's own client.
 */
import { hash } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { BodiesAway } from './objects.ts'
import type { BucketPlace } from './settings.ts'

export type Method = 'GET' | 'PUT' | 'DELETE'
/** @property path of an object; absent for a request to the bucket itself */
export type Asked = { method: Method; path?: string; query?: Record<string, string>; data?: Buffer }
export type Answer = { status: number; body: Buffer }

/** All take no longer than the place's time for one request. They reject with `BodiesAway` where the store gives no answer. */
export type Requests = {
  once(asked: Asked): Promise<Answer>
  /** For what is only read, or may be done twice: again where the store is only busy, or away. */
  repeatedly(asked: Asked): Promise<Answer>
  /** Ends what is under way. */
  close(): void
}

/** Connections to one store. */
const maxConnections = 64
const maxTries = 3
const firstPauseMs = 100
const maxBytes = 256 * 1024 ** 2

/** Connects on the first request. Connections are kept until it is closed. */
export function requestsTo(place: BucketPlace): Requests {
  const { bucket, region, accessKeyId, secretAccessKey, isPathStyle, timeoutMs } = place
  const { protocol, host } = new URL(place.endpoint)
  const agent = new (protocol === 'https:' ? https : http).Agent({
    keepAlive: true,
    maxSockets: maxConnections,
  })
  const root = isPathStyle ? `${protocol}//${host}/${bucket}` : `${protocol}//${bucket}.${host}`
  /** Of the day's signing key. */
  const cache = new Map<string, ArrayBuffer>()
  return { once: asked => once(asked, timeoutMs), repeatedly, close: () => agent.destroy() }

  /** All tries together within the time for one request. */
  async function repeatedly(asked: Asked): Promise<Answer> {
    const end = performance.now() + timeoutMs
    for (let tries = 1; ; tries++) {
      const leftMs = Math.max(1, end - performance.now())
      const isLast = tries === maxTries
      const answer = await once(asked, leftMs).catch(error => error as Error)
      if (!(answer instanceof Error) && !isPassing(answer)) return answer
      const pauseMs = firstPauseMs * 4 ** (tries - 1) * (0.5 + Math.random())
      if (isLast || performance.now() + pauseMs >= end) {
        if (answer instanceof Error) throw answer
        return answer
      }
      await sleep(pauseMs)
    }
  }

  async function once({ method, path, query, data }: Asked, limitMs: number): Promise<Answer> {
    const url = new URL(path === undefined ? root : `${root}/${path}`)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    const signer = new AwsV4Signer({
      ...{ method, url: url.href, accessKeyId, secretAccessKey, region, service: 's3', cache },
      headers: { 'x-amz-content-sha256': hash('sha256', data ?? '') },
    })
    const { headers } = await signer.sign()
    try {
      return await send(agent, url, { method, headers: Object.fromEntries(headers), data }, limitMs)
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException
      throw new BodiesAway(`${method} at the store of bodies: ${code ?? message}`, { cause })
    }
  }
}

type Signed = { method: Method; headers: Record<string, string>; data: Buffer | undefined }

/** Rejects as node's client does. */
function send(
  agent: http.Agent,
  url: URL,
  { method, headers, data }: Signed,
  limitMs: number,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const length = method === 'PUT' ? { 'content-length': String(data?.byteLength ?? 0) } : {}
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    agent,
    method,
    headers: { ...headers, ...length },
  })
  const late = setTimeout(() => request.destroy(new Error(`no answer within ${limitMs} ms`)), limitMs)
  request.on('error', reject)
  request.on('response', response => {
    const chunks: Buffer[] = []
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.byteLength
      if (bytes > maxBytes) request.destroy(new Error(`more than ${maxBytes} bytes`))
    })
    response.on('error', reject)
    response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
  })
  request.end(data)
  return promise.finally(() => clearTimeout(late))
}

const isPassing = ({ status }: Answer): boolean => status >= 500 || status === 429 || status === 408
