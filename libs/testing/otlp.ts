/** Receives the exports of a process over OTLP/HTTP as JSON, and stores its spans and all texts. */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listening } from './listening.ts'

export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  service: string
  /** 0 internal, 1 server, 2 client, 3 producer, 4 consumer: as received, one less than in the protocol. */
  kind: number
  startMs: number
  endMs: number
  isError: boolean
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
}

/** One export as received: `/v1/traces` or `/v1/metrics`. */
export type ReceivedExport = { path: string; text: string }

export type OtlpReceiver = {
  url: string
  spans: ReceivedSpan[]
  exports: ReceivedExport[]
  close(): Promise<void>
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const exports: ReceivedExport[] = []
  const server = createServer(async (request, response) => {
    const { url: path = '' } = request
    const sent = await text(request)
    exports.push({ path, text: sent })
    if (path === '/v1/traces') spans.push(...spansOf(JSON.parse(sent)))
    response.setHeader('content-type', 'application/json').end('{}')
  })
  const { url, close } = await listening(server)
  return { url, spans, exports, close }
}

type KeyValue = { key: string; value: Record<string, unknown> }
type OtlpSpan = Pick<ReceivedSpan, 'traceId' | 'spanId' | 'parentSpanId' | 'name'> & {
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status?: { code?: number }
  attributes?: KeyValue[]
  links?: { traceId: string; spanId: string }[]
}
const statusOfErrors = 2
type OtlpTraces = {
  resourceSpans: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: OtlpSpan[] }[] }[]
}

const spansOf = ({ resourceSpans }: OtlpTraces): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(span => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        service: String(plain(resource.attributes)['service.name']),
        kind: span.kind - 1,
        startMs: Number(span.startTimeUnixNano) / 1e6,
        endMs: Number(span.endTimeUnixNano) / 1e6,
        isError: span.status?.code === statusOfErrors,
        attributes: plain(span.attributes ?? []),
        links: span.links ?? [],
      })),
    ),
  )

const plain = (attributes: KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
