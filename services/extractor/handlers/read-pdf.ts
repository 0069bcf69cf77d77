/** The text of a PDF: the work of its thread. Scripts, forms and images are ignored, and nothing is fetched. */
import { encodeJson } from '@tidemark/bus/codec'
import type { Transform, TransformAnswer } from '@tidemark/contracts/rpc/transform'
import { getDocumentProxy } from 'unpdf'
import { maxCharacters } from '../domain/content-bounds.ts'
import { paragraphsOf, type Run, written } from '../domain/pdf-text.ts'

export type PdfQuestion = { body: Uint8Array; format: Transform['format'] }
export type PdfAnswer =
  /** `TransformAnswer` */
  { is: 'read'; json: Uint8Array } | { is: 'unreadable'; message: string }

/**
 * Maximum number of pages, and the time after which no further page is begun, so that the pages so far are returned.
 */
const most = { pages: 1_000, ms: 12_000 }
/** Options of the library: text only, and no network access. */
const options = {
  verbosity: 0,
  disableFontFace: true,
  useSystemFonts: false,
  useWorkerFetch: false,
  useWasm: false,
  enableXfa: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
  maxImageSize: 0,
}

const broken = 'The PDF is corrupt and cannot be read.'

type Document = Awaited<ReturnType<typeof getDocumentProxy>>

export async function readPdf({ body, format }: PdfQuestion): Promise<PdfAnswer> {
  const opened = await open(body)
  if (typeof opened === 'string') return { is: 'unreadable', message: opened }
  const { pages, warnings, isReadable } = await readPages(opened)
  if (!isReadable) return { is: 'unreadable', message: broken }
  const text = written(pages, format)
  const isLong = text.length > maxCharacters
  if (isLong) warnings.push(`content was truncated to ${maxCharacters} characters`)
  if (text.trim() === '') warnings.push('the document has no text: its pages may be images')
  const answer: TransformAnswer = {
    content: isLong ? text.slice(0, maxCharacters).toWellFormed() : text,
    engine: 'pdf',
    warnings,
  }
  return { is: 'read', json: encodeJson(answer) }
}

/** Returns the document, or the reason why it cannot be opened. */
async function open(body: Uint8Array): Promise<Document | string> {
  try {
    return await getDocumentProxy(new Uint8Array(body), options)
  } catch (error) {
    const { name } = error as Error
    return name === 'PasswordException'
      ? 'The PDF is encrypted and requires a password. Send it without a password.'
      : broken
  }
}

async function readPages(document: Document) {
  const startedAt = performance.now()
  const warnings: string[] = []
  const pages: string[][] = []
  const count = Math.min(document.numPages, most.pages)
  let [read, unreadable, left] = [0, 0, maxCharacters]
  for (; read < count && left > 0 && performance.now() - startedAt < most.ms; read++) {
    const paragraphs = await pageOf(document, read + 1)
    if (paragraphs === null) unreadable += 1
    pages.push(paragraphs ?? [])
    for (const { length } of paragraphs ?? []) left -= length
  }
  if (read < document.numPages)
    warnings.push(`only the first ${read} pages of ${document.numPages} were read`)
  if (unreadable > 0) warnings.push(`corrupt pages that were left out: ${unreadable}`)
  return { pages, warnings, isReadable: read === 0 || unreadable < read }
}

/** Null for a corrupt page. */
async function pageOf(document: Document, number: number): Promise<string[] | null> {
  try {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    page.cleanup()
    return paragraphsOf(items.filter((item): item is Run & typeof item => 'str' in item))
  } catch {
    return null
  }
}
