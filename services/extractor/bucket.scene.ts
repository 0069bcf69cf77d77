/** A bucket of a customer that misbehaves as a test decides. Unlike the real store it checks no signature. */
import http from 'node:http'
import { listening } from '@tidemark/testing/listening'
import type { Test } from 'tap'

type Answer = { status: number; code?: string; headers?: Record<string, string> }
/** `kind` is begin, part, complete, abort, put or HEAD. */
export type BucketCall = { kind: string; key: string; part: number; headers: http.IncomingHttpHeaders }

/** @param judge returns another answer to a call, or nothing; it may take any time */
export async function startBucket(
  t: Test,
  judge: (call: BucketCall) => Promise<Answer | undefined> | Answer | undefined,
) {
  const calls: BucketCall[] = []
  let uploads = 0
  const server = http.createServer(async (request, response) => {
    const call = callOf(request)
    for await (const _ of request);
    calls.push(call)
    const other = await judge(call)
    if (other)
      response
        .writeHead(other.status, other.headers)
        .end(other.code && `<Error><Code>${other.code}</Code></Error>`)
    // Ids of Ceph's uploads begin with `2~`.
    else if (call.kind === 'begin') response.end(`<R><UploadId>2~upload-${++uploads}</UploadId></R>`)
    else response.writeHead(200, { etag: `"${call.part}"` }).end()
  })
  const { url, close } = await listening(server)
  t.teardown(close)
  return {
    /** All calls so far, also refused ones. */
    calls,
    env: {
      S3_ENDPOINT: url,
      S3_BUCKET: 'crawls',
      S3_REGION: 'us-east-1',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
    },
  }
}

function callOf({ method = '', url = '', headers }: http.IncomingMessage): BucketCall {
  const { pathname, searchParams } = new URL(url, 'http://bucket')
  const key = pathname.slice(headers.host?.startsWith('crawls.') ? 1 : '/crawls/'.length)
  const part = Number(searchParams.get('partNumber') ?? 0)
  const kinds: Record<string, string> = {
    POST: searchParams.has('uploads') ? 'begin' : 'complete',
    PUT: part > 0 ? 'part' : 'put',
    DELETE: 'abort',
  }
  return { kind: kinds[method] ?? method, key, part, headers }
}
