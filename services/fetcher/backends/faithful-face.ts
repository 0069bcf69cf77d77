/** Which browser the faithful client impersonates, and the fields that it adds. */
import { hash } from 'node:crypto'
import type { Browser } from 'impit'

/** The newest that the client supports. */
const faces: readonly [Browser, ...Browser[]] = ['chrome151', 'firefox144']

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

/** Each work shows one browser to a host. */
export function faceFor(workId: number, host: string): Browser {
  const place = hash('sha256', `${workId} ${host}`, 'buffer').readUInt32BE() % faces.length
  return faces[place] ?? faces[0]
}

/** The fields besides the browser's own. */
export const fieldsFor = (
  url: URL,
  cookies: string,
  userAgent: string | undefined,
): Record<string, string> => ({
  ...(url.protocol === 'http:' && leftOut),
  ...(userAgent !== undefined && { 'user-agent': userAgent }),
  ...(cookies !== '' && { cookie: cookies }),
})
