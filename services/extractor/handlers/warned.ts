/** A content that has been made, with one warning more: what came after it was read. */
import { decodeJson, encodeJson } from '@tidemark/bus/codec'
import type { Content } from '@tidemark/contracts/ask/content'

/** @param json `Content`; it is read and written anew, which only what has failed is worth */
export function warned(json: Uint8Array, warning: string): Uint8Array {
  const content = decodeJson(json) as Content
  return encodeJson({ ...content, warnings: [...content.warnings, warning] })
}
