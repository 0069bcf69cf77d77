/** A page and the requested forms of its content. */
import type { ModelUse } from '@tidemark/contracts/http/extraction'
import type { Wanted } from '@tidemark/contracts/rpc/content'
import type { PdfDocument } from './pdf/pdf-document.ts'

/**
 * The bounds and the response of a model. Content is made twice: for the request to the model, and with its response.
 */
export type ByModel = {
  /** Characters of the page that the model receives. */
  maxCharacters: number
  /** Absent: the model was not called yet. */
  result?: {
    /** Null: the model has not responded, for the reason in `warning`. */
    answer: string | null
    warning: string | null
    use: ModelUse | null
  }
}

export type ContentRequest = {
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
  /** Absent: no model fills missing values. */
  byModel?: ByModel
}
