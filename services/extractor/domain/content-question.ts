/** A page and the requested forms of its content. */
import type { Wanted } from '@tidemark/contracts/rpc/content'
import type { PdfDocument } from './pdf/pdf-document.ts'

export type ContentQuestion = {
  /** The final URL, after redirects. */
  url: string
  status: number
  contentType: string | null
  /** Response headers that matter to its signals, by lower-case name. */
  headers: Record<string, string>
  /** Decoded. */
  body: Uint8Array
  wanted: Wanted
  /** A PDF as its thread has read it, or the reason why it could not. */
  pdf?: PdfDocument | { fault: string } | undefined
}
