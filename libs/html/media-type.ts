/** Decides which bodies are read as HTML or as text. All others are stored and have no links. */

import { binaryTypeOf, isBinaryByte, sniffedBytes } from './binary-type.ts'

const htmlTypes = new Set(['text/html', 'application/xhtml+xml'])

const pdfType = 'application/pdf'

const textual =
  /^(?:text\/|application\/(?:(?:x-)?(?:json|ndjson|xml|javascript|ecmascript|yaml|toml))\b|.+\+(?:json|xml|yaml)\b)/

/** Beginnings by which a document without a type is HTML (WHATWG MIME Sniffing, 7.1, abridged). */
const looksLikeHtml =
  /^\s*<(?:!--|(?:!doctype\s+html|html|head|body|title|meta|link|script|style|div|p|a|h1|table)\b)/i

/**
 * Returns whether a body is HTML by its declared type, or without one by its first bytes.
 * @param contentType The header as sent, or null.
 * @param body The available part. The first bytes of a binary file override a type of text.
 */
export function isHtml(contentType: string | null, body: Uint8Array): boolean {
  const type = essenceOf(contentType)
  if (type !== '') return htmlTypes.has(type) && binaryTypeOf(body) === null
  return looksLikeHtml.test(Buffer.from(body.subarray(0, 1024)).toString('latin1'))
}

/** Returns whether a body is a PDF. A body with an unknown content encoding is recognized only by its type. */
export const isPdf = (contentType: string | null, body: Uint8Array): boolean =>
  essenceOf(contentType) === pdfType || binaryTypeOf(body) === pdfType

/** Returns whether a type is readable text. */
export const isTextual = (type: string): boolean => htmlTypes.has(type) || textual.test(type)

/** Returns whether a body is read as HTML or as text. */
export const isReadable = (contentType: string | null, body: Uint8Array): boolean =>
  isHtml(contentType, body) || isTextual(textTypeOf(contentType, body))

/** Does the same as `mediaTypeOf`, but a body without a type is plain text unless its beginning has binary bytes. */
export function textTypeOf(contentType: string | null, body: Uint8Array): string {
  const type = mediaTypeOf(contentType, body)
  if (type !== '' || body.byteLength === 0) return type
  return body.subarray(0, sniffedBytes).some(isBinaryByte) ? '' : 'text/plain'
}

/** Returns the type by the first bytes if the declared type is text or missing, else the declared type. */
export function mediaTypeOf(contentType: string | null, body: Uint8Array): string {
  const type = essenceOf(contentType)
  return type !== '' && !isTextual(type) ? type : (binaryTypeOf(body) ?? type)
}

/** A type and a subtype of token characters (RFC 9110, 8.3.1). */
const validType = /^[!#$%&'*+.^`|~\w-]+\/[!#$%&'*+.^`|~\w-]+$/

/**
 * Returns the declared type in lower case without parameters. An invalid one, such as `html` or `charset=utf-8`, declares
 * nothing, as in browsers: the empty string.
 */
export function essenceOf(contentType: string | null): string {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return validType.test(type) ? type : ''
}
