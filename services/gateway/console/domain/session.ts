/**
 * The session of a console: a cookie with the sealed API key. It is stored nowhere, so it ends with its time or with its
 * key. Every sign-in creates a new session, whatever cookie the client sent (no session fixation).
 */
import { randomBytes } from 'node:crypto'
import type { Share } from './share.ts'

/** Milliseconds after which the reader must sign in again. */
const sessionMs = 12 * 3_600_000

/**
 * `nonce` binds the write token to this session; `until` is milliseconds since 1970. The key of an operator's session is
 * the operator's key. A session with a `share` has no key and reads one run.
 */
export type Session = { key: string; share?: Share; nonce: string; until: number; isOperator?: true }

export type Secrets = {
  seal: (text: string) => string
  /** Throws if the text was not sealed here. */
  open: (sealed: string) => string
  sign: (text: string) => string
  isSigned: (text: string, signature: string) => boolean
}

export const newSession = (key: string, now: number, isOperator = false): Session => ({
  key,
  nonce: randomBytes(16).toString('base64url'),
  until: now + sessionMs,
  ...(isOperator && { isOperator }),
})

/**
 * Returns the name of the cookie. With the prefix, browsers accept it from HTTPS only (RFC 6265bis, 4.1.3), so that a
 * page of an unencrypted site cannot replace it.
 */
const nameOf = (isSecure: boolean): string => `${isSecure ? '__Secure-' : ''}tidemark_console`

/** Scripts cannot read it, other sites cannot send it, and the API never receives it. */
const attributes = (isSecure: boolean) =>
  `; Path=/console; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`

/** Returns the value of Set-Cookie for this number of seconds. */
export const cookieOf = (
  session: Session,
  { seal }: Pick<Secrets, 'seal'>,
  isSecure: boolean,
  seconds: number = sessionMs / 1000,
): string => `${nameOf(isSecure)}=${seal(JSON.stringify(session))}; Max-Age=${seconds}${attributes(isSecure)}`

/** Returns the value of Set-Cookie that removes the session. */
export const endingCookie = (isSecure: boolean): string =>
  `${nameOf(isSecure)}=; Max-Age=0${attributes(isSecure)}`

/**
 * Returns the session of a Cookie header, or null. Two cookies with this name are not a session, because another site
 * may have set one of them.
 */
export function sessionIn(
  header: string | undefined,
  { open }: Pick<Secrets, 'open'>,
  isSecure: boolean,
  now: number,
): Session | null {
  const start = `${nameOf(isSecure)}=`
  const pairs = (header ?? '').split(';').map(pair => pair.trim())
  const [sealed, ...others] = pairs.filter(pair => pair.startsWith(start))
  if (sealed === undefined || others.length > 0) return null
  try {
    const session = JSON.parse(open(sealed.slice(start.length))) as Session
    return session.until > now ? session : null
  } catch {
    return null
  }
}

const signedText = ({ nonce }: Session) => `console session ${nonce}`

/** Returns the token that every write of this session must carry in a header. */
export const tokenOf = (session: Session, { sign }: Pick<Secrets, 'sign'>): string =>
  sign(signedText(session))

/** Returns whether a header is the token of this session. */
export const isTokenOf = (
  session: Session,
  { isSigned }: Pick<Secrets, 'isSigned'>,
  token: string | string[] | undefined,
): boolean => typeof token === 'string' && isSigned(signedText(session), token)
