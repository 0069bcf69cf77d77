/**
 * Sends requests to an S3 bucket with node's own client. They are signed by aws4fetch with the hash of the body, so
 * that the store rejects damaged data.
 */
import { hash } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { BodiesAway } from './objects.ts'
import type { BucketConfig } from './settings.ts'

export type Method = 'GET' | 'PUT' | 'DELETE'
/**
 * A request to a bucket, with `data` as its body.
 * @property path Path of an object. Without it, the request is for the bucket itself.
 */
export type S3Request = { method: Method; path?: string; query?: Record<string, string>; data?: Buffer }
export type Answer = { status: number; body: Buffer }

/**
 * Sends requests. Each call takes at most the configured time for one request, and rejects with `BodiesAway` if the
 * store does not respond.
 */
export type Requests = {
  once(request: S3Request): Promise<Answer>
  /** Sends an idempotent request, and retries it while the store is busy or unavailable. */
  repeatedly(request: S3Request): Promise<Answer>
  /** Aborts all pending requests. */
  close(): void
}

/** Maximum connections to one store. */
const maxConnections = 64
const maxTries = 3
const firstPauseMs = 100
const maxBytes = 256 * 1024 ** 2

/** Returns the client of a bucket. It connects at the first request and keeps its connections until it is closed. */
export function requestsTo(config: BucketConfig): Requests {
  const { bucket, region, accessKeyId, secretAccessKey, isPathStyle, timeoutMs } = config
  const { protocol, host } = new URL(config.endpoint)
  const agent = new (protocol === 'https:' ? https : http).Agent({
    keepAlive: true,
    maxSockets: maxConnections,
  })
  const root = isPathStyle ? `${protocol}//${host}/${bucket}` : `${protocol}//${bucket}.${host}`
  /** Cache of the daily signing key. */
  const cache = new Map<string, ArrayBuffer>()
  return { once: request => once(request, timeoutMs), repeatedly, close: () => agent.destroy() }

  /** Sends a request until it succeeds. All attempts together take at most the time for one request. */
  async function repeatedly(request: S3Request): Promise<Answer> {
    const end = performance.now() + timeoutMs
    for (let tries = 1; ; tries++) {
      const leftMs = Math.max(1, end - performance.now())
      const isLast = tries === maxTries
      const answer = await once(request, leftMs).catch(error => error as Error)
      if (!(answer instanceof Error) && !isTransient(answer)) return answer
      const pauseMs = firstPauseMs * 4 ** (tries - 1) * (0.5 + Math.random())
      if (isLast || performance.now() + pauseMs >= end) {
        if (answer instanceof Error) throw answer
        return answer
      }
      await sleep(pauseMs)
    }
  }

  async function once({ method, path, query, data }: S3Request, limitMs: number): Promise<Answer> {
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

/** Sends a signed request. Rejects with the errors of node's client. */
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
  const timer = setTimeout(() => request.destroy(new Error(`no response within ${limitMs} ms`)), limitMs)
  request.on('error', reject)
  request.on('response', response => {
    const chunks: Buffer[] = []
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.byteLength
      if (bytes > maxBytes) request.destroy(new Error(`the response exceeds ${maxBytes} bytes`))
    })
    response.on('error', reject)
    response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
  })
  request.end(data)
  return promise.finally(() => clearTimeout(timer))
}

const isTransient = ({ status }: Answer): boolean => status >= 500 || status === 429 || status === 408
