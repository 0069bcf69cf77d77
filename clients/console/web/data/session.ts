/** The session of the reader. The key itself is in a cookie that no script can read; only its write token is here. */
import { signal } from '@preact/signals'
import { errorOf } from '@tidemark/sdk'
import { exchangeShare, type Shared, shareOfAddress } from './share.ts'

export type Role = 'project' | 'operator'
/** `shared`: the session reads one crawl, and has no key; null: it has a key. */
export type OpenSession = {
  state: 'in'
  role: Role
  prefix: string
  tier: string
  token: string
  shared: Shared | null
}

export type Session =
  | { state: 'unknown' }
  | { state: 'out'; notice: string | null }
  /** The address has a key. `current` is the session that a sign-in with it would replace. */
  | { state: 'offered'; key: string; current: OpenSession | null }
  /** The address has a share. `current` is the session that opening it would replace. */
  | { state: 'share-offered'; share: string; current: OpenSession }
  /** The address of a share opens nothing; the error or a sentence has the reason. */
  | { state: 'share-ended'; error: unknown }
  | OpenSession

export const session = signal<Session>({ state: 'unknown' })

/** A new key of the project. The service shows it only once, so it stays until the reader confirms the copy. */
export const freshKey = signal<string | null>(null)

const address = '/console/session'

/** Returns the token of writes, or an empty text. */
export const writeToken = (): string => (session.value.state === 'in' ? session.value.token : '')

/** Returns the prefix of the reader's key, which keeps cached results of several readers apart; empty: signed out. */
export const readerOf = (): string => (session.value.state === 'in' ? session.value.prefix : '')

/** The shared crawl of this session; null: it has a key. */
export const sharedCrawl = (): Shared | null => (session.value.state === 'in' ? session.value.shared : null)

/** Length of the public prefix that identifies a key of a project. The operator's key has none. */
const prefixLength = 12
export const prefixOf = (key: string): string =>
  key.startsWith('tmk_') ? key.slice(0, prefixLength) : 'operator'

/** Returns the key behind the `#` of the address. */
export const keyOfAddress = (): string | undefined =>
  new URLSearchParams(location.hash.slice(1)).get('key')?.trim()

/**
 * Reads the session of the cookie. A key in the address is removed from it, and only offered: any site can link to the
 * console with a key of its own, and the reader would then work in a project of others. A share is removed too, and
 * opens at once, unless it would replace a session with a key.
 */
export async function openSession(): Promise<void> {
  const [key, share] = [keyOfAddress(), shareOfAddress()]
  if (key !== undefined || share !== undefined)
    history.replaceState(null, '', location.pathname + location.search)
  const found = sessionOf(await answerOf(await fetch(address)))
  const current = found.state === 'in' ? found : null
  if (share !== undefined) return meetShare(share, current)
  const isOffer = key !== undefined && key !== '' && prefixOf(key) !== current?.prefix
  session.value = isOffer ? { state: 'offered', key, current } : found
}

async function meetShare(share: string, current: OpenSession | null): Promise<void> {
  if (current !== null && current.shared === null) session.value = { state: 'share-offered', share, current }
  else await openShare(share).catch(error => (session.value = { state: 'share-ended', error }))
}

/** Opens a shared crawl. Throws `ApiError` if the share has ended or was changed. */
export async function openShare(share: string): Promise<void> {
  session.value = sessionOf((await exchangeShare(share)) as Answer)
}

/** Throws `ApiError` if the key is not valid. */
export async function signIn(key: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-console-token': 'sign-in' }
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ key }) })
  session.value = sessionOf(await answerOf(response))
}

/**
 * Reads the token of the session again after a write was refused: another tab may have signed in. Returns whether the
 * write can be repeated with a new token. Another key would write to another project, so this tab signs out.
 */
export async function renewToken(): Promise<boolean> {
  const before = session.value
  const found = sessionOf(await answerOf(await fetch(address)))
  if (before.state !== 'in' || before.shared !== null) return false
  if (found.state !== 'in') sessionEnded()
  else if (found.prefix !== before.prefix || found.role !== before.role)
    signedOut(
      'Another tab has signed in with another key. Reload this page to use that key, or sign in again.',
    )
  else if (found.token !== before.token) {
    session.value = found
    return true
  }
  return false
}

/** Throws `ApiError` if the cookie may still be there. */
export async function signOut(): Promise<void> {
  const response = await fetch(address, { method: 'DELETE', headers: { 'x-console-token': 'sign-out' } })
  if (!response.ok) throw errorOf(response, await response.text())
  freshKey.value = null
  signedOut(null)
}

/** Shows the sign-in, with the reason. */
export function signedOut(notice: string | null): void {
  session.value = { state: 'out', notice }
}

/** Leaves a session that the gateway no longer accepts. */
export function sessionEnded(): void {
  if (sharedCrawl() === null) signedOut('The session has ended, or the key was revoked. Sign in again.')
  else
    session.value = {
      state: 'share-ended',
      error:
        'This shared address has expired, its crawl is no longer shared, or the key that made it was revoked.',
    }
}

type Answer = {
  signed_in: boolean
  role?: Role
  prefix?: string
  tier?: string
  token: string
  ends_at: string
  shared?: { run_id: number }
}

function sessionOf(answer: Answer): OpenSession | (Session & { state: 'out' }) {
  const { signed_in, role = 'project', prefix = '', tier = '', token, ends_at, shared } = answer
  if (!signed_in) return { state: 'out', notice: null }
  return {
    state: 'in',
    role,
    prefix,
    tier,
    token,
    shared: shared ? { run: shared.run_id, until: ends_at } : null,
  }
}

async function answerOf(response: Response): Promise<Answer> {
  if (response.ok) return response.json()
  throw errorOf(response, await response.text())
}

/** Returns the text of any error for the reader. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
