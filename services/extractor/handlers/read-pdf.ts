/**
 * The text of a PDF: what its thread does for each. Nothing in it is run, and nothing is fetched for it: of its
 * scripts, forms and pictures nothing is looked at.
 */
import { encodeJson } from '@tidemark/bus/codec'
import type { Transform, TransformAnswer } from '@tidemark/contracts/ask/transform'
import { getDocumentProxy } from 'unpdf'
import { mostCharacters } from '../domain/content-bounds.ts'
import { paragraphsOf, type Run, written } from '../domain/pdf-text.ts'

export type PdfQuestion = { body: Uint8Array; format: Transform['format'] }
export type PdfAnswer =
  /** `TransformAnswer` */
  { is: 'read'; json: Uint8Array } | { is: 'unreadable'; message: string }

/** Pages that are read; and when the next one is not begun any more, so that what was read is told. */
const most = { pages: 1_000, ms: 12_000 }
/** Of its library: nothing beside the text, and no way out. */
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

const broken = 'The PDF cannot be read: it is broken.'

type Document = Awaited<ReturnType<typeof getDocumentProxy>>

export async function readPdf({ body, format }: PdfQuestion): Promise<PdfAnswer> {
  const opened = await open(body)
  if (typeof opened === 'string') return { is: 'unreadable', message: opened }
  const { pages, warnings, isReadable } = await readPages(opened)
  if (!isReadable) return { is: 'unreadable', message: broken }
  const text = written(pages, format)
  const isLong = text.length > mostCharacters
  if (isLong) warnings.push(`content ends after ${mostCharacters} characters`)
  if (text.trim() === '') warnings.push('the document has no text: its pages may be pictures')
  const answer: TransformAnswer = {
    content: isLong ? text.slice(0, mostCharacters).toWellFormed() : text,
    engine: 'pdf',
    warnings,
  }
  return { is: 'read', json: encodeJson(answer) }
}

/** Or why it cannot be opened. */
async function open(body: Uint8Array): Promise<Document | string> {
  try {
    return await getDocumentProxy(new Uint8Array(body), options)
  } catch (error) {
    const { name } = error as Error
    return name === 'PasswordException'
      ? 'The PDF is encrypted and asks for a password. Send it without.'
      : broken
  }
}

async function readPages(document: Document) {
  const startedAt = performance.now()
  const warnings: string[] = []
  const pages: string[][] = []
  const count = Math.min(document.numPages, most.pages)
  let [read, unreadable, left] = [0, 0, mostCharacters]
  for (; read < count && left > 0 && performance.now() - startedAt < most.ms; read++) {
    const paragraphs = await pageOf(document, read + 1)
    if (paragraphs === null) unreadable += 1
    pages.push(paragraphs ?? [])
    for (const { length } of paragraphs ?? []) left -= length
  }
  if (read < document.numPages)
    warnings.push(`only the first ${read} pages of ${document.numPages} were read`)
  if (unreadable > 0) warnings.push(`pages that are broken and were left out: ${unreadable}`)
  return { pages, warnings, isReadable: read === 0 || unreadable < read }
}

/** Null of a page that is broken. */
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
