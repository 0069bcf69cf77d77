/** Encoding declarations of a page, in the order of precedence in browsers. */
import { attribute } from '@tidemark/html/tree/attribute'
import type { AuditedPage } from './audited-page.ts'
import type { Entry } from './page-index.ts'

export type Declared = { label: string; where: 'byte order mark' | 'Content-Type' | 'meta' }

/** WHATWG HTML, 13.2.3.2: the `<meta>` element must end before this byte. */
const prescanned = 1024
const maxSearched = 64 * 1024
/** WHATWG Encoding, 6: the byte order mark of each encoding, in hex. */
const marks = [
  ['utf-8', 'efbbbf'],
  ['utf-16be', 'feff'],
  ['utf-16le', 'fffe'],
] as const

export function charsetsOf(page: AuditedPage): Declared[] {
  const { body, contentType } = page.page
  const found: Declared[] = []
  const start = Buffer.from(body.subarray(0, 3)).toString('hex')
  for (const [label, mark] of marks)
    if (start.startsWith(mark)) found.push({ label, where: 'byte order mark' })
  const inHeader = labelIn(contentType ?? '')
  if (inHeader !== null) found.push({ label: inHeader, where: 'Content-Type' })
  for (const entry of page.index.of('meta')) {
    const label = labelOf(entry)
    if (label !== null) return [...found, { label, where: 'meta' }]
  }
  return found
}

/** Returns the byte at which the meta declaration ends if browsers do not search that far, or null. */
export function lateCharset(page: AuditedPage): number | null {
  const declared = charsetsOf(page)
  if (declared[0]?.where !== 'meta') return null
  const { body } = page.page
  const source = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, maxSearched))
    .toString('latin1')
    .replace(/<!--[\s\S]*?(?:-->|$)/g, comment => ' '.repeat(comment.length))
  const found = /<meta\b[^<>]{0,500}charset[^<>]{0,500}>/i.exec(source)
  const end = found === null ? maxSearched : found.index + found[0].length
  return end > prescanned ? end : null
}

function labelOf({ element }: Entry): string | null {
  const stated = attribute(element, 'charset')?.trim()
  if (stated) return stated
  const isType = attribute(element, 'http-equiv')?.trim().toLowerCase() === 'content-type'
  return isType ? labelIn(attribute(element, 'content') ?? '') : null
}

const labelIn = (contentType: string): string | null =>
  /charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType.slice(0, 1024))?.[1] ?? null
