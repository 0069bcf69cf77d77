/** A page and the requested forms of its content. */
import type { Wanted } from '@tidemark/contracts/rpc/content'

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
}
