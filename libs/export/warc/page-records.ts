/**
 * The records of a page. Stored headers and bytes become a `response`. Bytes alone become a `resource` with a
 * `metadata` record for the status, which a resource cannot state. Requested Markdown becomes a `conversion`. A page
 * without bytes has only the others.
 */
import type { ExportedPage, ExportedRun, ExportSource } from '../page.ts'
import { digestOf, packedRecord, recordId, type WarcRecord, warcUri } from './record.ts'
import { decodedBody, isAnswered, messageOf } from './response.ts'

/** The main record of a page, for an index. `payloadDigest` as in the record. */
export type Capture = { page: ExportedPage; payloadDigest: string }

/** A compressed record. `capture` is null for records that no index lists. */
export type Packed = { data: Buffer; capture: Capture | null }

export async function* pageRecords(
  page: ExportedPage,
  source: ExportSource,
  hasConversions: boolean,
): AsyncGenerator<Packed> {
  const main = mainRecord(page, source)
  if (main !== null) yield { data: await packedRecord(main.record), capture: main.capture }
  const mainId = main?.record.id ?? null
  if (main?.record.type !== 'response')
    yield other(await packedRecord(metadataRecord(page, source.run, mainId)))
  if (hasConversions && page.markdown !== null)
    yield other(await packedRecord(conversionRecord(page, page.markdown, source.run, mainId)))
}

const other = (data: Buffer): Packed => ({ data, capture: null })

type Main = { record: WarcRecord; capture: Capture }

function mainRecord(page: ExportedPage, source: ExportSource): Main | null {
  if (page.body === null) return null
  if (!isAnswered(page)) return resourceRecord(page, decodedBody(page.body, source), source.run)
  const { head, payload } = messageOf(page, source)
  const payloadDigest = digestOf(payload)
  const record: WarcRecord = {
    ...common('response', page, source.run),
    contentType: 'application/http;msgtype=response',
    fields: [targetOf(page), ...addressOf(page), ['WARC-Payload-Digest', payloadDigest]],
    block: [head, payload],
  }
  return { record, capture: { page, payloadDigest } }
}

function resourceRecord(page: ExportedPage, payload: Buffer, run: ExportedRun): Main {
  const payloadDigest = digestOf(payload)
  const record: WarcRecord = {
    ...common('resource', page, run),
    contentType: page.contentType ?? 'application/octet-stream',
    fields: [targetOf(page), ['WARC-Payload-Digest', payloadDigest]],
    block: [payload],
  }
  return { record, capture: { page, payloadDigest } }
}

/** Returns fields about a page without its response. `mainId` is the id of its resource, if there is one. */
function metadataRecord(page: ExportedPage, run: ExportedRun, mainId: string | null): WarcRecord {
  const lines = [`http-status: ${page.status}`, `depth: ${page.depth}`]
  if (page.requestedUrl !== null) lines.push(`requested-url: ${warcUri(page.requestedUrl)}`)
  return {
    ...common('metadata', page, run),
    contentType: 'application/warc-fields',
    fields: [targetOf(page), ...refersTo(mainId)],
    block: [Buffer.from(`${lines.join('\r\n')}\r\n`)],
  }
}

const conversionRecord = (
  page: ExportedPage,
  markdown: string,
  run: ExportedRun,
  mainId: string | null,
): WarcRecord => ({
  ...common('conversion', page, run),
  contentType: 'text/markdown;charset=utf-8',
  fields: [targetOf(page), ...refersTo(mainId)],
  block: [Buffer.from(markdown)],
})

type Fields = [name: string, value: string][]

const targetOf = ({ url }: ExportedPage): [string, string] => ['WARC-Target-URI', warcUri(url)]
const addressOf = ({ hostAddress }: ExportedPage): Fields =>
  hostAddress === undefined ? [] : [['WARC-IP-Address', hostAddress]]
const refersTo = (id: string | null): Fields => (id === null ? [] : [['WARC-Refers-To', id]])

const common = <Type extends WarcRecord['type']>(type: Type, page: ExportedPage, run: ExportedRun) => ({
  type,
  id: recordId(type, run.id, run.url, run.startedAt, page.id, page.url, page.rawHash),
  date: page.fetchedAt,
})
