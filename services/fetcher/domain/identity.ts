/**
 * Chooses the header fields by which the crawler identifies itself. A browser's fields form one consistent set, in the
 * order in which that browser sends them. A run shows the same set to the same host for its whole duration.
 */
import { hash } from 'node:crypto'
import { type Browser, browsers } from './browsers.ts'

type Fields = Readonly<Record<string, string>>

/** `rotate` impersonates one of the browsers, `honest` identifies the crawler. */
export type IdentityMode = 'rotate' | 'honest'

/** The run whose identity is chosen, and the user agent that its client requested. */
export type Appearance = { runId: number; userAgent?: string }

/** Returns the fields for one host. A user agent that the run sets itself is sent without a browser's fields. */
export type Identify = (run: Appearance, own: Fields, url: URL) => Fields

type Options = { mode: IdentityMode; userAgent: string; acceptEncoding: string }

/** Clients use this prefix to request the crawler's own choice. */
const internal = 'InternalCrawler/'

export function createIdentify({ acceptEncoding, ...options }: Options): Identify {
  // Consecutive requests are often of one run to one host.
  let last: { runId: number; host: string; protocol: string; fields: Fields } | null = null
  return ({ runId, userAgent: wished }, own, { host, protocol }) => {
    const alone = own['user-agent'] ?? nameFor(options, wished)
    if (alone !== undefined) return requestHeaders(alone, acceptEncoding)
    if (last?.runId === runId && last.host === host && last.protocol === protocol) return last.fields
    const fields = fieldsOf(browserFor(runId, host), protocol === 'https:', acceptEncoding)
    last = { runId, host, protocol, fields }
    return fields
  }
}

/** Returns the user agent that replaces a browser's; undefined if none does. */
export const nameFor = (
  { mode, userAgent }: Pick<Options, 'mode' | 'userAgent'>,
  wished: string | undefined,
): string | undefined => ownWish(wished) ?? (mode === 'honest' ? userAgent : undefined)

/** Returns the user agent that a client requests; undefined if it leaves the choice to the crawler. */
export const ownWish = (wished: string | undefined): string | undefined =>
  wished?.startsWith(internal) ? undefined : wished

function browserFor(runId: number, host: string): Browser {
  const index = hash('sha256', `${runId} ${host}`, 'buffer').readUInt32BE() % browsers.length
  return browsers[index] ?? browsers[0]
}

/** Returns a browser's fields. Client hints and fetch metadata are sent over encrypted connections only. */
function fieldsOf({ fields }: Browser, isSecure: boolean, acceptEncoding: string): Fields {
  const sent = Object.entries(fields).filter(([name]) => isSecure || !name.startsWith('sec-'))
  return { ...Object.fromEntries(sent), 'accept-encoding': acceptEncoding }
}

/** Returns the fields of a request with an explicit user agent: the crawler's own in honest mode, or the run's. */
const requestHeaders = (userAgent: string, acceptEncoding: string): Record<string, string> => ({
  'user-agent': userAgent,
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-encoding': acceptEncoding,
  'accept-language': 'en,*;q=0.5',
})
