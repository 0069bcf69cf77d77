/** The session of the reader. The key itself is in a cookie that no script can read; only its write token is here. */
import { signal } from '@preact/signals'
import { ApiError, errorOf, TidemarkError } from '@tidemark/sdk'

export type Role = 'project' | 'operator'
export type OpenSession = { state: 'in'; role: Role; prefix: string; tier: string; token: string }

export type Session =
  | { state: 'unknown' }
  | { state: 'out'; notice: string | null }
  /** The address has a key. `current` is the session that a sign-in with it would replace. */
  | { state: 'offered'; key: string; current: OpenSession | null }
  | OpenSession

export const session = signal<Session>({ state: 'unknown' })

const address = '/console/session'

/** Returns the token of writes, or an empty text. */
export const writeToken = (): string => (session.value.state === 'in' ? session.value.token : '')

/** Length of the public prefix that identifies a key of a project. The operator's key has none. */
const prefixLength = 12
export const prefixOf = (key: string): string =>
  key.startsWith('tmk_') ? key.slice(0, prefixLength) : 'operator'

/** Returns the key behind the `#` of the address. */
export const keyOfAddress = (): string | undefined =>
  new URLSearchParams(location.hash.slice(1)).get('key')?.trim()

/**
 * Reads the session of the cookie. A key in the address is removed from it, and only offered: any site can link to the
 * console with a key of its own, and the reader would then work in a project of others.
 */
export async function openSession(): Promise<void> {
  const key = keyOfAddress()
  if (key !== undefined) history.replaceState(null, '', location.pathname + location.search)
  const found = sessionOf(await answerOf(await fetch(address)))
  const current = found.state === 'in' ? found : null
  const isOffer = key !== undefined && key !== '' && prefixOf(key) !== current?.prefix
  session.value = isOffer ? { state: 'offered', key, current } : found
}

/** Throws `ApiError` if the key is not valid. */
export async function signIn(key: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-console-token': 'sign-in' }
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ key }) })
  session.value = sessionOf(await answerOf(response))
}

/** Throws `ApiError` if the cookie may still be there. */
export async function signOut(): Promise<void> {
  const response = await fetch(address, { method: 'DELETE', headers: { 'x-console-token': 'sign-out' } })
  if (!response.ok) throw errorOf(response, await response.text())
  signedOut(null)
}

/** Shows the sign-in, with the reason. */
export function signedOut(notice: string | null): void {
  session.value = { state: 'out', notice }
}

type Answer = { signed_in: boolean; role: Role; prefix: string; tier: string; token: string }

const sessionOf = ({
  signed_in,
  role,
  prefix,
  tier,
  token,
}: Answer): OpenSession | (Session & { state: 'out' }) =>
  signed_in ? { state: 'in', role, prefix, tier, token } : { state: 'out', notice: null }

async function answerOf(response: Response): Promise<Answer> {
  if (response.ok) return response.json()
  throw errorOf(response, await response.text())
}

/** Returns the text of any error for the reader. */
export const messageOf = (error: unknown): string =>
  error instanceof ApiError || error instanceof TidemarkError ? error.message : String(error)
