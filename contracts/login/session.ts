/** The session of a login: the cookies of the browser. It leaves the fetcher only in sealed form. */

import { type Static, Type } from 'typebox'
import { oneOf } from '../primitives.ts'

export const SessionCookie = Type.Object({
  name: Type.String(),
  value: Type.String(),
  /** The host, or with a leading dot the domain of all hosts that receive it. */
  domain: Type.String(),
  path: Type.String(),
  /** Seconds since 1970; -1: the cookie expires with the session. */
  expires: Type.Number(),
  httpOnly: Type.Boolean(),
  secure: Type.Boolean(),
  sameSite: oneOf(['Strict', 'Lax', 'None']),
})
export type SessionCookie = Static<typeof SessionCookie>

export const LoginSession = Type.Object({ cookies: Type.Array(SessionCookie) })
export type LoginSession = Static<typeof LoginSession>
