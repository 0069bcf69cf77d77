/** The session of the reader. The key itself is in a cookie that no script can read; only its write token is here. */
import { signal } from '@preact/signals'
import { ApiError, TidemarkError } from '@tidemark/sdk'

export type Session =
  | { state: 'unknown' }
  | { state: 'out'; notice: string | null }
  | { state: 'in'; prefix: string; tier: string; token: string }

export const session = signal<Session>({ state: 'unknown' })

const address = '/console/session'

/** Returns the token of writes, or an empty text. */
export const writeToken = (): string => (session.value.state === 'in' ? session.value.token : '')

/** Reads the session of the cookie, or signs in with the key of the address, which it removes first. */
export async function openSession(): Promise<void> {
  const key = new URLSearchParams(location.hash.slice(1)).get('key')
  if (key !== null) {
    history.replaceState(null, '', location.pathname + location.search)
    await signIn(key).catch(error => signedOut(String((error as Error).message)))
    return
  }
  accept(await answerOf(await fetch(address)))
}

/** Throws `ApiError` if the key is not valid. */
export async function signIn(key: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-console-token': 'sign-in' }
  accept(await answerOf(await fetch(address, { method: 'POST', headers, body: JSON.stringify({ key }) })))
}

export async function signOut(): Promise<void> {
  await fetch(address, { method: 'DELETE', headers: { 'x-console-token': writeToken() } })
  signedOut(null)
}

/** Shows the sign-in, with the reason. */
export function signedOut(notice: string | null): void {
  session.value = { state: 'out', notice }
}

type Answer = { signed_in: boolean; prefix: string; tier: string; token: string }

function accept({ signed_in, prefix, tier, token }: Answer): void {
  session.value = signed_in ? { state: 'in', prefix, tier, token } : { state: 'out', notice: null }
}

async function answerOf(response: Response): Promise<Answer> {
  const body = await response.json().catch(() => null)
  if (response.ok && body !== null) return body
  const { message, code, field, request_id } = body?.error ?? {}
  throw new ApiError({
    status: response.status,
    code: code ?? null,
    message: message ?? `The gateway answered ${response.status}.`,
    reason: null,
    field: field ?? null,
    requestId: request_id ?? null,
    retryAfter: null,
    runId: null,
    headers: response.headers,
    body,
  })
}

/** Returns the text of any error for the reader. */
export const messageOf = (error: unknown): string =>
  error instanceof ApiError || error instanceof TidemarkError ? error.message : String(error)
