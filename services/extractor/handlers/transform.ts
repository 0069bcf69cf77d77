/** Turns a document that a client sent into another format. Nothing is fetched. */
import { refuse } from '@tidemark/bus/ask'
import type { Bulky } from '@tidemark/bus/bulky'
import type { Transform } from '@tidemark/contracts/ask/transform'
import type { ContentThread } from '../adapters/content-thread.ts'
import { unsupported } from '../adapters/document-refusals.ts'
import type { PdfThread } from '../adapters/pdf-thread.ts'

type Ports = {
  thread: Pick<ContentThread, 'transform'>
  pdfs: Pick<PdfThread, 'read'>
  bulky: Pick<Bulky, 'get' | 'delete'>
  /** Whether PDFs are read at all. */
  withPdf: boolean
  /** Of a document. */
  maxBytes: number
  report: (error: unknown) => void
}

/** Where the beginning of a PDF has to be (ISO 32000-1, annex H: readers look for it there). */
const pdfHead = 1024
const pdfMark = '%PDF-'

/** `TransformAnswer` as JSON. The handler throws a `Refusal`: 422 `unsupported_input`. */
export function transform(ports: Ports) {
  return async (question: Transform): Promise<Uint8Array> => {
    const { kind, format, readability, projectId } = question
    if (kind === 'pdf' && !ports.withPdf)
      throw unsupported('PDFs are not read here. The setting TRANSFORM_PDF turns that on.')
    const body = await bodyOf(ports, question)
    if (body.byteLength > ports.maxBytes)
      throw unsupported(`The document has more than ${ports.maxBytes} bytes.`)
    const who = `project ${projectId}`
    const head = body.toString('latin1', 0, pdfHead)
    if (kind === 'html') {
      if (isPdfOf(head)) throw unsupported('This is a PDF, not HTML. Send it in base64, and say so.')
      return ports.thread.transform({ body, format, readability }, who)
    }
    if (!head.includes(pdfMark)) throw unsupported('This is no PDF: it does not begin as one.')
    return ports.pdfs.read({ body, format }, who)
  }
}

/** As it is, or in base64. */
const isPdfOf = (head: string): boolean => /^\s*(?:%PDF-|JVBERi)/.test(head)

async function bodyOf({ bulky, report }: Ports, { kind, data, bulkyKey }: Transform): Promise<Buffer> {
  const lost = (error: unknown) => {
    report(error)
    return null
  }
  if (data !== null) return Buffer.from(data, kind === 'pdf' ? 'base64' : 'utf8')
  const bytes = bulkyKey === null ? null : await bulky.get(bulkyKey).catch(lost)
  if (bulkyKey !== null) bulky.delete(bulkyKey).catch(report)
  if (bytes === null) throw refuse('unavailable', { retryAfterSeconds: 2 })
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
