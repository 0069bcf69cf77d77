/** Shares of a crawl: how their address opens, and which screens their reader has. */
import { errorOf } from '@tidemark/sdk'

/** The run that the reader of a share may see, and the time at which the share ends. */
export type Shared = { run: number; until: string }

/** Returns the share behind the `#` of the address. */
export const shareOfAddress = (): string | undefined =>
  new URLSearchParams(location.hash.slice(1)).get('share')?.trim()

/** Exchanges a share for a session, and returns the response. Throws `ApiError` if the share ended or was changed. */
export async function exchangeShare(share: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-console-token': 'open' }
  const body = JSON.stringify({ share })
  const response = await fetch('/console/session/shared', { method: 'POST', headers, body })
  if (!response.ok) throw errorOf(response, await response.text())
  return response.json()
}

const partsOfRun = new Set(['', 'pages', 'errors', 'links', 'explain'])

/** Returns whether an address is a screen of the share. */
export function isScreenOf(
  { run }: Shared,
  [first = '', second = '', third = '']: readonly string[],
  query: URLSearchParams,
): boolean {
  if (first === 'diff') return query.get('new') === String(run)
  return first === 'crawls' && second === String(run) && partsOfRun.has(third)
}
