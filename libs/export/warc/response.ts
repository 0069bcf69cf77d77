/** The HTTP message of a response record: the stored headers before the stored bytes. */
import { STATUS_CODES } from 'node:http'
import { type ExportedBody, type ExportedPage, type ExportSource, type Header, valuesOf } from '../page.ts'
import { oneLine } from './record.ts'

const token = /^[!#$%&'*+.^`|~\w-]+$/

/** A page whose headers and bytes are stored. */
export type Answered = ExportedPage & { body: ExportedBody; headers: Header[] }

export const isAnswered = (page: ExportedPage): page is Answered =>
  page.body !== null && page.headers !== null

/**
 * Returns head and payload. The payload is as transferred if the stored codings are those of the header, and decoded
 * otherwise. Headers that no longer describe the payload get the prefix `X-Archive-Orig-`, as other archives do.
 */
export function messageOf(page: Answered, source: ExportSource): { head: Buffer; payload: Buffer } {
  const { body, headers, status } = page
  const isOriginal = codingsIn(headers).join() === body.encodings.map(canonicalCoding).filter(Boolean).join()
  const payload = isOriginal ? body.data : decodedBody(body, source)
  const lines = headers.flatMap(([name, value]) => {
    if (!token.test(name)) return []
    return [`${isKept(name, isOriginal) ? '' : 'X-Archive-Orig-'}${name}: ${oneLine(value)}`]
  })
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`
  const head = `${[start, ...lines, `Content-Length: ${payload.length}`].join('\r\n')}\r\n\r\n`
  return { head: bytesOf(head), payload }
}

/** Returns the decoded body, or the stored bytes if they cannot be decoded. */
export function decodedBody(body: ExportedBody, source: ExportSource): Buffer {
  if (body.encodings.length === 0) return body.data
  try {
    return source.decode(body)
  } catch {
    return body.data
  }
}

const lengthHeaders = new Set(['content-length', 'transfer-encoding'])

/** Lengths are those of the transfer. Its coding is kept only with the coded payload. */
function isKept(name: string, isOriginal: boolean): boolean {
  const lower = name.toLowerCase()
  return !lengthHeaders.has(lower) && (isOriginal || lower !== 'content-encoding')
}

const codingsIn = (headers: readonly Header[]): string[] =>
  valuesOf(headers, 'content-encoding').join().split(',').map(canonicalCoding).filter(Boolean)

function canonicalCoding(text: string): string {
  const coding = text
    .trim()
    .toLowerCase()
    .replace(/^x-(?=gzip$)/, '')
  return coding === 'identity' ? '' : coding
}

/** Header values are bytes, one character each. Others become UTF-8. */
const bytesOf = (head: string): Buffer => Buffer.from(head, /^[\0-\xff]*$/.test(head) ? 'latin1' : 'utf8')
