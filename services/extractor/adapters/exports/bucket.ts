/**
 * A bucket of a customer. Its address is the customer's, so every connection passes the guard, and its keys appear in
 * no error.
 */
import { hash } from 'node:crypto'
import type { ExportSink } from '@tidemark/contracts/http/export-sink'
import type { BucketKeys } from '@tidemark/contracts/rpc/exports'
import { xmlText } from '@tidemark/export/xml'
import type { HttpClient } from '@tidemark/http/client'
import { type Fetched, fetchPage } from '@tidemark/http/fetch'
import { FetchError, fetchCodes } from '@tidemark/http/fetch-error'
import { AwsV4Signer } from 'aws4fetch'
import { bufferOf } from '../../domain/buffer-of.ts'
import { ExportFault } from '../../domain/exports/export-job.ts'

export type BucketSink = Extract<ExportSink, { type: 's3' }>

/** A part that the bucket has. `tag` is its ETag. */
type Tagged = { number: number; tag: string }
type Bytes = { data: Uint8Array; sha256: string }

/**
 * The object of one export. Calls reject with `ExportFault`: final if the bucket refuses them, else as an outage; and
 * with `NoSuchUpload` if the bucket does not know the upload, which it may have removed by its own rules.
 */
export type BucketObject = {
  /** Puts the whole object at once. */
  put(whole: Bytes): Promise<void>
  /** Begins an upload in parts. Returns its id. */
  begin(): Promise<string>
  /** Uploads a part. Returns its ETag. */
  putPart(upload: string, number: number, part: Bytes): Promise<string>
  complete(upload: string, parts: readonly Tagged[]): Promise<void>
  /** Removes the parts of an unfinished upload. Ignores an unknown upload. */
  abort(upload: string): Promise<void>
  /** Returns whether this export has completed the object, with this length. False if the keys may not read it. */
  isComplete(bytes: number): Promise<boolean>
}

export class NoSuchUpload extends Error {
  override readonly name = 'NoSuchUpload'
}

type Access = {
  sink: BucketSink
  keys: BucketKeys
  key: string
  mediaType: string
  exportId: number
  signal: AbortSignal
}
type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
type Sent = {
  query?: Record<string, string>
  data?: Uint8Array
  sha256?: string
  headers?: Record<string, string>
  timeoutMs?: number
}

/** Milliseconds for a part of 8 MiB, which is 2.2 Mbit/s. A slower bucket counts as an outage. */
const dataMs = 30_000
/** Some buckets join the parts before they respond. */
const completeMs = 120_000
const abortMs = 10_000
const maxAnswerBytes = 64 * 1024
const none = new Uint8Array()
/** The metadata by which an export recognizes its own object. */
const mark = 'x-amz-meta-tidemark-export'
/** Metadata with the SHA-256 of a file of one part. A longer file has none, because its metadata is sent first. */
const digest = 'x-amz-meta-sha256'
const marked = (exportId: number) => ({ [mark]: String(exportId) })

export function bucketObject(client: HttpClient, access: Access): BucketObject {
  const { exportId, mediaType } = access
  const described = { ...marked(exportId), 'content-type': mediaType }
  const send = (method: Method, sent: Sent = {}) => request(client, access, method, sent)
  const must = async (method: Method, sent: Sent = {}) => succeeded(await send(method, sent))

  return {
    async put({ data, sha256 }) {
      await must('PUT', { data, sha256, headers: { ...described, [digest]: sha256 } })
    },

    async begin() {
      const answer = await must('POST', { query: { uploads: '' }, headers: described })
      const upload = tagIn(answer, 'UploadId')
      if (upload === '') throw outage('It began no upload.')
      return upload
    },

    async putPart(uploadId, number, { data, sha256 }) {
      const query = { partNumber: String(number), uploadId }
      const { headers } = await must('PUT', { query, data, sha256 })
      return headers.etag ?? ''
    },

    async complete(uploadId, parts) {
      const listed = parts.map(
        ({ number, tag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${xmlText(tag)}</ETag></Part>`,
      )
      const data = Buffer.from(`<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`)
      const answer = await must('POST', {
        query: { uploadId },
        data,
        headers: { 'content-type': 'application/xml' },
        timeoutMs: completeMs,
      })
      // The response may report a failure although its status is a success.
      if (answer.body.includes('<Error>')) throw outage(`It answered ${tagIn(answer, 'Code')}.`)
    },

    async abort(uploadId) {
      const answer = await send('DELETE', { query: { uploadId }, timeoutMs: abortMs })
      if (answer.status !== 404) succeeded(answer)
    },

    async isComplete(bytes) {
      const answer = await send('HEAD')
      // 403 is also the response to keys that may not read the object.
      if (answer.status === 403 || answer.status === 404) return false
      const { headers } = succeeded(answer)
      return headers[mark] === String(exportId) && Number(headers['content-length']) === bytes
    },
  }
}

async function request(
  client: HttpClient,
  { sink, keys, key, signal }: Access,
  method: Method,
  { query = {}, data = none, sha256, headers = {}, timeoutMs = dataMs }: Sent,
): Promise<Fetched> {
  const url = addressOf(sink, key)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const signer = new AwsV4Signer({
    ...keys,
    ...{ method, url: url.href, region: sink.region ?? 'us-east-1', service: 's3' },
    headers: { ...headers, 'x-amz-content-sha256': sha256 ?? hash('sha256', data) },
  })
  const signed = await signer.sign()
  const limits = { maxBytes: maxAnswerBytes, cuts: true, maxHops: 0, timeoutMs, signal }
  try {
    return await fetchPage(client, {
      ...{
        url: signed.url.href,
        method,
        headers: Object.fromEntries(signed.headers),
        body: bufferOf(data),
        ...limits,
      },
    })
  } catch (thrown) {
    throw faultOf(FetchError.from(thrown))
  }
}

/** @throws TypeError for an endpoint that is not a URL, which the gateway rejects before */
function addressOf({ endpoint, bucket, path_style: isPathStyle = true }: BucketSink, key: string): URL {
  const { protocol, host } = new URL(endpoint)
  return new URL(
    isPathStyle ? `${protocol}//${host}/${bucket}/${key}` : `${protocol}//${bucket}.${host}/${key}`,
  )
}

/** The cause is left out: it may reveal addresses of an internal network. */
function faultOf({ code, transient }: FetchError): ExportFault {
  const detail = fetchCodes[code].sentence
  if (code === 'too_many_redirects')
    return refused('It redirects to another address. Name the endpoint and the region of the bucket.')
  return transient || code === 'aborted' ? outage(detail) : refused(`${detail} Check sink.endpoint.`)
}

function succeeded(answer: Fetched): Fetched {
  const { status } = answer
  if (status >= 200 && status < 300) return answer
  const code = tagIn(answer, 'Code')
  if (code === 'NoSuchUpload') throw new NoSuchUpload()
  const detail = `It answered ${`${status} ${code}`.trim()}.`
  if (status >= 500 || status === 429 || status === 408) throw outage(detail)
  throw refused(`${detail} Check the bucket, its region and the permissions of the access key.`)
}

const refused = (detail: string) =>
  new ExportFault('s3_refused', `The S3 service did not take the file. ${detail}`)

const outage = (detail: string) =>
  new ExportFault('s3_unavailable', `The S3 service failed at every attempt. ${detail}`, { isFinal: false })

/**
 * Returns the text of an element if it has only the characters of codes and of upload ids, because the service is not
 * trusted; else an empty text. Ids of Ceph have a tilde.
 */
function tagIn({ body }: Fetched, tag: string): string {
  return new RegExp(`<${tag}>([\\w.~+/=-]{1,1024})</${tag}>`).exec(body.toString('latin1'))?.[1] ?? ''
}
