/**
 * Who the crawler says it is. A browser's fields are one set that belongs together, in the order in which that
 * browser sends them; a run shows the same set to the same host for as long as it lasts.
 */
import { hash } from 'node:crypto'
import { type Browser, browsers } from './browsers.ts'
import { requestHeaders } from './request-headers.ts'

type Fields = Record<string, string>

/** `rotate` looks like one of the browsers, `honest` says that it is a crawler. */
export type IdentityMode = 'rotate' | 'honest'

/** What decides about it, besides the run's own headers. */
export type Appearance = { runId: number; userAgent?: string }

/** The fields for one host. A user agent that the run names itself goes alone, without a browser's fields. */
export type Identify = (run: Appearance, own: Fields, url: URL) => Fields

type Options = { mode: IdentityMode; userAgent: string; acceptEncoding: string }

/** Stands for "a browser's" where a client names it. */
const internal = 'InternalCrawler/'

export function createIdentify({ acceptEncoding, ...options }: Options): Identify {
  return ({ runId, userAgent: wished }, own, { host, protocol }) => {
    const alone = own['user-agent'] ?? nameFor(options, wished)
    if (alone !== undefined) return requestHeaders(alone, acceptEncoding)
    return fieldsOf(browserFor(runId, host), protocol === 'https:', acceptEncoding)
  }
}

/** The user agent that is shown in place of a browser's; undefined where none is. */
export function nameFor(
  { mode, userAgent }: Pick<Options, 'mode' | 'userAgent'>,
  wished: string | undefined,
): string | undefined {
  const named = wished?.startsWith(internal) ? undefined : wished
  return named ?? (mode === 'honest' ? userAgent : undefined)
}

function browserFor(runId: number, host: string): Browser {
  const place = hash('sha256', `${runId} ${host}`, 'buffer').readUInt32BE() % browsers.length
  return browsers[place] ?? browsers[0]
}

/** Client hints and fetch metadata go over encrypted connections only. */
function fieldsOf({ fields }: Browser, isSecure: boolean, acceptEncoding: string): Fields {
  const sent = Object.entries(fields).filter(([name]) => isSecure || !name.startsWith('sec-'))
  return { ...Object.fromEntries(sent), 'accept-encoding': acceptEncoding }
}
