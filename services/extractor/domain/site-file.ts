/** The texts that a site has for crawlers: which there are, how much of each is read, and what counts as one. */
import type { SiteFile } from '@tidemark/contracts/site-file'

/** `most`: bytes that are kept. Of robots.txt as many as RFC 9309, 2.5 asks for. */
export const siteFiles = {
  robots: { path: '/robots.txt', most: 500 * 1024 },
  llms: { path: '/llms.txt', most: 256 * 1024 },
  llmsFull: { path: '/llms-full.txt', most: 1024 ** 2 },
} as const

export type SiteFileName = keyof typeof siteFiles

/** What came over the wire, decoded. */
export type Answered = { status: number; contentType: string | null; bytes: Uint8Array; isWhole: boolean }

/** `rules`: it says itself. */
export type RobotsMeaning = 'rules' | 'allow_all' | 'disallow_all'

/**
 * What the answer to a question for robots.txt means, whoever asked (RFC 9309, 2.3.1). What is not there allows
 * everything, what cannot be reached nothing; and 429 says as little as an error of the server.
 * @param status of HTTP after its redirects; null where there was no answer that could be read
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

/** robots.txt is what has a status of success; the others only plain text of a plain 200. */
export function siteFileOf(name: SiteFileName, fetchedAt: string, answered: Answered): SiteFile {
  const { status, contentType } = answered
  const found = { fetchedAt, status, error: null }
  const none = { ...found, text: null, truncated: false }
  if (name === 'robots' ? !isSuccess(status) : status !== 200 || !isPlainType(contentType)) return none
  const read = readText(answered, siteFiles[name].most)
  return name !== 'robots' && looksLikeHtml.test(read.text) ? none : { ...found, ...read }
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299

const plainTypes = new Set(['', 'text/plain', 'text/markdown', 'text/x-markdown'])

const isPlainType = (contentType: string | null): boolean =>
  plainTypes.has((contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '')

/** Many sites have a page for whatever they do not have, under any type. */
const looksLikeHtml = /^\s*<(?:!doctype\s+html|html|head|body)\b/i

/** What is too long ends with its last whole line. */
function readText({ bytes, isWhole }: Answered, most: number): { text: string; truncated: boolean } {
  const truncated = bytes.length > most || !isWhole
  const text = new TextDecoder().decode(bytes.subarray(0, most), { stream: truncated })
  return { text: truncated ? text.slice(0, text.lastIndexOf('\n') + 1) || text : text, truncated }
}
