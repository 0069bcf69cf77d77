/** Chooses the browser that the faithful client impersonates, and the header fields that are added. */
import { hash } from 'node:crypto'
import type { Browser } from 'impit'

/** The newest browsers that the client supports. */
const browserProfiles: readonly [Browser, ...Browser[]] = ['chrome151', 'firefox144']

// Browsers send these fields over encrypted connections only. Empty fields are omitted.
const encryptedOnly = [
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
  'te',
]
const leftOut = Object.fromEntries(encryptedOnly.map(name => [name, '']))

/** Returns the browser that a piece of work impersonates at a host. It is always the same browser. */
export function browserProfileFor(workId: number, host: string): Browser {
  const index = hash('sha256', `${workId} ${host}`, 'buffer').readUInt32BE() % browserProfiles.length
  return browserProfiles[index] ?? browserProfiles[0]
}

/** Returns the fields to send in addition to the browser's own, or instead of them. */
export const fieldsFor = (
  url: URL,
  cookies: string,
  userAgent: string | undefined,
): Record<string, string> => ({
  ...(url.protocol === 'http:' && leftOut),
  ...(userAgent !== undefined && { 'user-agent': userAgent }),
  ...(cookies !== '' && { cookie: cookies }),
})
