/** The text of a PDF: the work of its thread. Scripts, forms and images are ignored, and nothing is fetched. */
import { encodeJson } from '@tidemark/bus/codec'
import type { Transform, TransformResponse } from '@tidemark/contracts/rpc/transform'
import { decodeBody } from '@tidemark/http/decode'
import { FetchError } from '@tidemark/http/fetch-error'
import { getDocumentProxy } from 'unpdf'
import { bufferOf } from '../domain/buffer-of.ts'
import { maxCharacters } from '../domain/content-bounds.ts'
import { type PdfDocument, type PdfHead, type PdfInfo, pdfHead } from '../domain/pdf/pdf-document.ts'
import { paragraphsOf, type Run, written } from '../domain/pdf/pdf-text.ts'

/** `parts`: `head` for a document in the given encodings, `text` and `document` for a decoded document. */
export type PdfRequest =
  | { parts: 'text'; body: Uint8Array; format: Transform['format'] }
  | { parts: 'head'; body: Uint8Array; encodings: string[]; maxBytes: number }
  | { parts: 'document'; body: Uint8Array }

export type PdfAnswer =
  /** A `TransformResponse` as JSON. */
  | { type: 'read'; json: Uint8Array }
  | { type: 'head'; head: PdfHead }
  | { type: 'document'; document: PdfDocument }
  | { type: 'unreadable'; why: 'corrupt' | 'encrypted' }

/** Maximum number of pages. */
const maxPages = 1_000
/**
 * Time after which no further page is begun, so that the pages so far are returned. The gateway waits longer for a
 * document that its client sent than for a page.
 */
const maxMs = { text: 12_000, document: 5_000 }
/** Maximum number of encodings that a warning names. */
const maxNamed = 10
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

type Document = Awaited<ReturnType<typeof getDocumentProxy>>

export async function readPdf(request: PdfRequest): Promise<PdfAnswer> {
  const since = performance.now()
  const missing = new Set<string>()
  const opened = await open(request.parts === 'head' ? decodedIn(request) : request.body, missing)
  if (typeof opened === 'string') return { type: 'unreadable', why: opened }
  if (request.parts === 'head') return { type: 'head', head: await headOf(opened) }
  const { pages, warnings, isReadable } = await readPages(opened, since + maxMs[request.parts])
  if (!isReadable) return { type: 'unreadable', why: 'corrupt' }
  const cut = (text: string) =>
    text.length > maxCharacters ? text.slice(0, maxCharacters).toWellFormed() : text
  const text = written(pages, 'text')
  if (missing.size > 0) warnings.push(unreadText([...missing]))
  else if (text.trim() === '') warnings.push('the document has no text: its pages may be images')
  if (request.parts === 'document') {
    const head = await headOf(opened)
    const markdown = cut(written(pages, 'markdown'))
    return { type: 'document', document: { ...head, text: cut(text), markdown, warnings } }
  }
  const content = request.format === 'markdown' ? written(pages, 'markdown') : text
  if (content.length > maxCharacters) warnings.push(`content was truncated to ${maxCharacters} characters`)
  const answer: TransformResponse = { content: cut(content), engine: 'pdf', warnings }
  return { type: 'read', json: encodeJson(answer) }
}

/** Returns the decoded body. It is empty if the body does not have its encodings: it is then no PDF. */
function decodedIn({ body, encodings, maxBytes }: Extract<PdfRequest, { parts: 'head' }>): Uint8Array {
  try {
    return decodeBody(bufferOf(body), encodings, maxBytes)
  } catch (error) {
    if (error instanceof FetchError) return Buffer.alloc(0)
    throw error
  }
}

const unreadText = (encodings: string[]): string =>
  `text in fonts with a predefined encoding could not be read: ${encodings.slice(0, maxNamed).join(', ')}`

/**
 * Returns the source of the files that the library requests and does not contain. The source has no files.
 * @param missing receives the names of requested encodings: the library drops the text of their fonts silently
 */
const noFiles = (missing: Set<string>) =>
  class {
    async fetch({ kind, filename }: { kind: string; filename: string }): Promise<never> {
      if (kind === 'cMapUrl') missing.add(filename.replace(/\.bcmap$/, ''))
      throw new Error(`There is no file ${filename}.`)
    }
  }

/**
 * Returns the document, or the reason why it cannot be opened.
 * @param missing as in `noFiles`, while pages are read
 */
async function open(body: Uint8Array, missing: Set<string>): Promise<Document | 'corrupt' | 'encrypted'> {
  try {
    return await getDocumentProxy(new Uint8Array(body), { ...options, BinaryDataFactory: noFiles(missing) })
  } catch (error) {
    return (error as Error).name === 'PasswordException' ? 'encrypted' : 'corrupt'
  }
}

/** The entries of a damaged dictionary, and the text of a damaged page, count as absent. */
async function headOf(document: Document): Promise<PdfHead> {
  const found = await document.getMetadata().catch(() => null)
  const info: PdfInfo = { Title: found?.metadata?.get('dc:title'), ...withoutEmpty(found?.info) }
  const first = (await runsOf(document, 1)) ?? []
  return pdfHead(info, first, document.numPages)
}

const withoutEmpty = (info: object = {}): PdfInfo =>
  Object.fromEntries(Object.entries(info).filter(([, value]) => value !== ''))

/** @param until on the clock of `performance.now()`, which began when the document was opened */
async function readPages(document: Document, until: number) {
  const warnings: string[] = []
  const pages: string[][] = []
  const count = Math.min(document.numPages, maxPages)
  let [read, unreadable, left] = [0, 0, maxCharacters]
  for (; read < count && left > 0 && performance.now() < until; read++) {
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

async function pageOf(document: Document, number: number): Promise<string[] | null> {
  const runs = await runsOf(document, number)
  return runs && paragraphsOf(runs)
}

/** Returns the text runs of a page; null: the page is corrupt. */
async function runsOf(document: Document, number: number): Promise<Run[] | null> {
  try {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    page.cleanup()
    return items.filter((item): item is Run & typeof item => 'str' in item)
  } catch {
    return null
  }
}
