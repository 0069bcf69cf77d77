/** Sends the results of a batch in pieces while they are read, because each can have several megabytes. */
import type { BatchResult } from '@tidemark/content/batches'
import type { BatchResultsQuery, BatchStatus } from '@tidemark/contracts/http/scan-batch'
import type { FastifyReply } from 'fastify'
import { formatOf, mediaTypes } from '../http/domain/list-format.ts'
import { vary } from '../http/requests/vary.ts'
import { warningsText } from '../http/responses/long-list.ts'
import { sendRows } from '../http/responses/row-list.ts'
import { sendText } from '../http/responses/text-stream.ts'

type Ready = {
  id: number
  status: BatchStatus
  /** Number of results that can be read. */
  ready: number
  query: BatchResultsQuery
}

type Read = (range: { from: number; to: number }) => AsyncIterable<BatchResult>

/** `next_offset` is null after the last result so far. While the batch runs, the same offset has more later. */
export function sendResults(
  reply: FastifyReply,
  { id, status, ready, query }: Ready,
  read: Read,
): FastifyReply {
  const { limit, offset } = query
  const to = Math.min(offset + limit, ready)
  const next = to < ready ? to : null
  const items = read({ from: offset, to })
  if (next === null && (status === 'queued' || status === 'running'))
    reply.request.warnings.push(unfinished(to))
  const accepted = formatOf(query.format, reply.request.headers.accept)
  vary(reply, 'Accept')
  if (accepted === 'ndjson')
    return sendRows(reply, {
      ...{ format: 'ndjson', rows: lines(items), next, query },
      path: `/v1/scan/batches/${id}/results`,
    })
  const end = `],"next_offset":${next},"status":"${status}"${warningsText(reply)}}`
  return sendText(reply, mediaTypes.json, jsonOf(items, end))
}

const unfinished = (to: number) => `the batch has not ended: more results follow from offset ${to}`

async function* jsonOf(items: AsyncIterable<BatchResult>, end: string): AsyncGenerator<string | Buffer> {
  let separator = '{"items":['
  for await (const item of items) {
    yield separator
    yield* textOf(item)
    separator = ','
  }
  yield separator === ',' ? end : separator + end
}

async function* lines(items: AsyncIterable<BatchResult>): AsyncGenerator<string> {
  for await (const item of items) yield `${Buffer.concat([...textOf(item)])}\n`
}

/** An item has the fields of a bulk scan after its index. */
function* textOf({ index, url, json }: BatchResult): Generator<Buffer> {
  yield Buffer.from(`{"index":${index},`)
  yield (json ?? Buffer.from(JSON.stringify(cancelled(url)))).subarray(1)
}

const cancelled = (url: string) => ({
  url,
  ok: false,
  error: 'the batch was cancelled before this page was read',
  reason: 'cancelled',
})
