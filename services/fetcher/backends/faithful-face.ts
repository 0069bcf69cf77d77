/** Which browser the faithful client looks like, and what it says besides. */
import { hash } from 'node:crypto'
import type { Browser } from 'impit'

/** The newest that it knows. */
const faces: readonly [Browser, ...Browser[]] = ['chrome151', 'firefox144']

// Browsers send these over encrypted connections only; an empty one is left out.
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

/** One piece of work shows one face to a host. */
export function faceFor(workId: number, host: string): Browser {
  const place = hash('sha256', `${workId} ${host}`, 'buffer').readUInt32BE() % faces.length
  return faces[place] ?? faces[0]
}

/** Beside the browser's own. */
export const fieldsFor = (
  url: URL,
  cookies: string,
  userAgent: string | undefined,
): Record<string, string> => ({
  ...(url.protocol === 'http:' && leftOut),
  ...(userAgent !== undefined && { 'user-agent': userAgent }),
  ...(cookies !== '' && { cookie: cookies }),
})
