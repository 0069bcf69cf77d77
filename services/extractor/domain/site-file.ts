/** The texts of a site for crawlers: their names, size limits and valid responses. */
import type { SiteFile } from '@tidemark/contracts/site-file'
import { completeLines } from '@tidemark/robots/complete-lines'

/** `maxBytes`: maximum number of stored bytes. For robots.txt it is the minimum of RFC 9309, 2.5. */
export const siteFiles = {
  robots: { path: '/robots.txt', maxBytes: 500 * 1024 },
  llms: { path: '/llms.txt', maxBytes: 256 * 1024 },
  llmsFull: { path: '/llms-full.txt', maxBytes: 1024 ** 2 },
} as const

export type SiteFileName = keyof typeof siteFiles

/** The response, decoded. */
export type SiteFileResponse = {
  status: number
  contentType: string | null
  bytes: Uint8Array
  isWhole: boolean
}

/** `rules`: the text itself decides. */
export type RobotsMeaning = 'rules' | 'allow_all' | 'disallow_all'

/**
 * Meaning of a robots.txt response (RFC 9309, 2.3.1). A missing file allows everything, and an unreachable one nothing.
 * 429 is treated as a server error.
 * @param status HTTP status after redirects; null without a readable response
 */
export function meaningOf(status: number | null): RobotsMeaning {
  if (status === null || status >= 500 || status === 429) return 'disallow_all'
  return isSuccess(status) ? 'rules' : 'allow_all'
}

export const failedFile = (fetchedAt: string, reason: string, message: string): SiteFile => ({
  fetchedAt,
  status: null,
  error: { reason, message },
  text: null,
  truncated: false,
})

/** Returns the file. robots.txt requires a success status. The other files require plain text with status 200. */
export function siteFileOf(name: SiteFileName, fetchedAt: string, response: SiteFileResponse): SiteFile {
  const { status, contentType } = response
  const found = { fetchedAt, status, error: null }
  const none = { ...found, text: null, truncated: false }
  if (name === 'robots' ? !isSuccess(status) : status !== 200 || !isPlainType(contentType)) return none
  const read = readText(name, response)
  return name !== 'robots' && looksLikeHtml.test(read.text) ? none : { ...found, ...read }
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299

const plainTypes = new Set(['', 'text/plain', 'text/markdown', 'text/x-markdown'])

const isPlainType = (contentType: string | null): boolean =>
  plainTypes.has((contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '')

/** Many sites serve a page for every missing file, under any type. */
const looksLikeHtml = /^\s*<(?:!doctype\s+html|html|head|body)\b/i

/**
 * Truncates a longer text to its complete lines. A single line is truncated to the maximum, except in robots.txt, where
 * half a line is another rule.
 */
function readText(
  name: SiteFileName,
  { bytes, isWhole }: SiteFileResponse,
): { text: string; truncated: boolean } {
  const { maxBytes } = siteFiles[name]
  const truncated = bytes.length > maxBytes || !isWhole
  const start = bytes.subarray(0, maxBytes)
  const lines = truncated ? completeLines(start) : start
  const read = lines.length > 0 || name === 'robots' ? lines : start
  return { text: new TextDecoder().decode(read, { stream: truncated }), truncated }
}
