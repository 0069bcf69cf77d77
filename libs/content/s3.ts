/**
 * A bucket of a store that speaks S3. It is the operator's, named in the settings and by no customer, so what is asked of it does
 * not go through the guard of outgoing connections. Requests are signed by aws4fetch, with the hash of what is sent, so
 * that the store refuses what was damaged on its way; they go out by node's own client.
 */
import { hash } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { BodiesAway, BodyTooLarge, type Objects, prefix } from './objects.ts'
import type { BucketPlace } from './settings.ts'

type Method = 'GET' | 'PUT' | 'DELETE'
type Asked = { method: Method; path?: string; query?: Record<string, string>; data?: Buffer }
type Answer = { status: number; body: Buffer }

/** Connections to one store. */
const mostConnections = 64
/** Of what is only read, or may be done twice. */
const mostTries = 3
const firstPauseMs = 100
const mostBytes = 256 * 1024 ** 2
/** Never an object: to hear from the bucket costs least where there is none. */
const nothing = `${prefix}nothing`

export function openBucket(place: BucketPlace): Objects {
  const { bucket, region, accessKeyId, secretAccessKey, isPathStyle, timeoutMs } = place
  const { protocol, host } = new URL(place.endpoint)
  const client = protocol === 'https:' ? https : http
  const agent = new client.Agent({ keepAlive: true, maxSockets: mostConnections })
  const root = isPathStyle ? `${protocol}//${host}/${bucket}` : `${protocol}//${bucket}.${host}`
  /** Of the day's signing key. */
  const cache = new Map<string, ArrayBuffer>()

  return {
    async put(name, data) {
      const answer = await once({ method: 'PUT', path: name, data }, timeoutMs)
      if (answer.status === 413 || codeOf(answer) === 'EntityTooLarge')
        throw new BodyTooLarge(`The store of bodies takes no ${data.byteLength} bytes.`)
      if (!isDone(answer)) throw refusedBy('PUT', answer)
    },

    async get(name) {
      const answer = await repeatedly({ method: 'GET', path: name })
      if (isDone(answer)) return answer.body
      if (isMissing(answer)) return null
      throw refusedBy('GET', answer)
    },

    async remove(name) {
      const answer = await repeatedly({ method: 'DELETE', path: name })
      if (!isDone(answer) && !isMissing(answer)) throw refusedBy('DELETE', answer)
    },

    async list(after, limit) {
      const query = { 'list-type': '2', 'max-keys': String(limit), prefix, 'start-after': after }
      const answer = await repeatedly({ method: 'GET', query })
      if (!isDone(answer)) throw refusedBy('GET', answer)
      // Names are of our making, and have nothing that XML would write otherwise.
      return [...answer.body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = '']) => name)
    },

    async look() {
      const answer = await once({ method: 'GET', path: nothing }, timeoutMs)
      if (!isDone(answer) && !isMissing(answer)) throw refusedBy('GET', answer)
    },

    close: () => agent.destroy(),
  }

  /** Within the time for one request, all tries together. */
  async function repeatedly(asked: Asked): Promise<Answer> {
    const end = performance.now() + timeoutMs
    for (let tries = 1; ; tries++) {
      const leftMs = Math.max(1, end - performance.now())
      const isLast = tries === mostTries
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
      return await send(url, method, Object.fromEntries(headers), data, limitMs)
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException
      throw new BodiesAway(`${method} at the store of bodies: ${code ?? message}`, { cause })
    }
  }

  function send(
    url: URL,
    method: Method,
    headers: Record<string, string>,
    data: Buffer | undefined,
    limitMs: number,
  ): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const length = method === 'PUT' ? { 'content-length': String(data?.byteLength ?? 0) } : {}
    const request = client.request(url, { agent, method, headers: { ...headers, ...length } })
    const late = setTimeout(() => request.destroy(new Error(`no answer within ${limitMs} ms`)), limitMs)
    request.on('error', reject)
    request.on('response', response => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.byteLength
        if (bytes > mostBytes) request.destroy(new Error(`more than ${mostBytes} bytes`))
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
    })
    request.end(data)
    return promise.finally(() => clearTimeout(late))
  }
}

const isDone = ({ status }: Answer): boolean => status >= 200 && status < 300
const isPassing = ({ status }: Answer): boolean => status >= 500 || status === 429 || status === 408
/** A bucket that is not there is not an object that is not there. */
const isMissing = (answer: Answer): boolean => answer.status === 404 && codeOf(answer) === 'NoSuchKey'

const codeOf = ({ body }: Answer): string =>
  /<Code>(\w+)<\/Code>/.exec(body.toString('latin1', 0, 4096))?.[1] ?? ''

const refusedBy = (method: Method, answer: Answer): BodiesAway =>
  new BodiesAway(`${method} at the store of bodies: answered ${`${answer.status} ${codeOf(answer)}`.trim()}`)
