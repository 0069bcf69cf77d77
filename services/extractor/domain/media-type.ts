/** Which bodies are read as HTML. Everything else is stored and has no links. */

const htmlTypes = new Set(['text/html', 'application/xhtml+xml'])

/** How a document without a type must begin to be taken for HTML (WHATWG MIME Sniffing, 7.1, abridged). */
const looksLikeHtml =
  /^\s*<(?:!--|(?:!doctype\s+html|html|head|body|title|meta|link|script|style|div|p|a|h1|table)\b)/i

/**
 * @param contentType the header field as it was sent, or null
 * @param start the first bytes of the body, asked only where there is no type
 */
export function isHtml(contentType: string | null, start: Uint8Array): boolean {
  const [type = ''] = (contentType ?? '').split(';', 1)
  if (type.trim() !== '') return htmlTypes.has(type.trim().toLowerCase())
  return looksLikeHtml.test(Buffer.from(start.subarray(0, 1024)).toString('latin1'))
}
