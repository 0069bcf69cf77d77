/** Converts a document that a client sent into another format. Nothing is fetched. */
import type { Bulky } from '@tidemark/bus/bulky'
import { refuse } from '@tidemark/bus/refusal'
import type { Transform } from '@tidemark/contracts/rpc/transform'
import { binaryTypeOf, binaryTypeOfText } from '@tidemark/html/binary-type'
import type { ContentThread } from '../adapters/content-thread.ts'
import { unsupported } from '../adapters/document-refusals.ts'
import type { PdfThread } from '../adapters/pdf-thread.ts'
import { bufferOf } from '../domain/buffer-of.ts'

type Ports = {
  thread: Pick<ContentThread, 'transform'>
  pdfs: Pick<PdfThread, 'read'>
  bulky: Pick<Bulky, 'get' | 'delete'>
  /** Whether PDFs are accepted. */
  withPdf: boolean
  /** Maximum size of a document. */
  maxBytes: number
  report: (error: unknown) => void
}

/** Search range for the beginning of a PDF (ISO 32000-1, annex H). */
const pdfHead = 1024
const pdfMark = '%PDF-'
const pdfType = 'application/pdf'
/** Length of the beginning that decides whether input is HTML. */
const textHead = 4096

/** The handler returns `TransformResponse` as JSON. It rejects with a `Refusal`: 422 `unsupported_input`. */
export function transform(ports: Ports) {
  return async (request: Transform): Promise<Uint8Array> => {
    const { kind, format, readability, projectId } = request
    if (kind === 'pdf' && !ports.withPdf)
      throw unsupported('This installation does not accept PDFs. The setting TRANSFORM_PDF enables them.')
    const body = await bodyOf(ports, request)
    if (body.byteLength > ports.maxBytes) throw unsupported(`The document exceeds ${ports.maxBytes} bytes.`)
    const owner = `project ${projectId}`
    if (kind === 'html') {
      const type = binaryTypeIn(body.toString('utf8', 0, textHead))
      if (type === pdfType)
        throw unsupported('This is a PDF, not HTML. Send it in base64 with input_kind pdf_base64.')
      if (type !== null) throw unsupported(`This is ${type}, not HTML.`)
      return ports.thread.transform({ body, format, readability }, owner)
    }
    if (!body.toString('latin1', 0, pdfHead).includes(pdfMark))
      throw unsupported('This is not a PDF: its header is missing.')
    return ports.pdfs.read(body, format, owner)
  }
}

/** The type of a binary document, as is or in base64. */
function binaryTypeIn(head: string): string | null {
  const [, packed] = inBase64.exec(head.trim()) ?? []
  const ofPacked = packed === undefined ? null : binaryTypeOf(Buffer.from(packed, 'base64'))
  return ofPacked ?? binaryTypeOfText(head) ?? binaryTypeOfText(head.trimStart())
}

/** Base64, plain or as a `data:` URL. Its ends are trimmed before: optional blanks there would take quadratic time. */
const inBase64 = /^(?:data:[\w.+-]+\/[\w.+-]+;base64,)?([\w+/\s-]{8,}={0,2})$/

async function bodyOf({ bulky, report }: Ports, { kind, data, bulkyKey }: Transform): Promise<Buffer> {
  const lost = (error: unknown) => {
    report(error)
    return null
  }
  if (data !== null) return Buffer.from(data, kind === 'pdf' ? 'base64' : 'utf8')
  const bytes = bulkyKey === null ? null : await bulky.get(bulkyKey).catch(lost)
  if (bulkyKey !== null) bulky.delete(bulkyKey).catch(report)
  if (bytes === null) throw refuse('unavailable', { retryAfterSeconds: 2 })
  return bufferOf(bytes)
}
