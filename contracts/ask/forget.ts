/**
 * What an administrator asks of every owner when a project is to be forgotten: its bills and its number stay. Each may
 * be asked again, and then finds less to do, or nothing.
 */
import { type Static, Type } from 'typebox'
import { Id, orNull } from '../primitives.ts'

/** To auth-billing: its keys open nothing any more, it has no proxy, and nobody's address is kept for it. */
export const CloseAccount = Type.Object({ name: Type.String() })
export type CloseAccount = Static<typeof CloseAccount>

export const CloseAccountAnswer = Type.Object({
  projectId: Id,
  /** How many keys were revoked just now, and how many addresses of people forgotten. */
  keys: Type.Integer(),
  addresses: Type.Integer(),
  /** Of the payment provider, who is told nothing: null where nobody pays. */
  subscription: orNull(Type.String()),
})
export type CloseAccountAnswer = Static<typeof CloseAccountAnswer>

export const ForgetProject = Type.Object({ projectId: Id })
export type ForgetProject = Static<typeof ForgetProject>

/** How many monitors, secrets or calls were forgotten just now. */
export const ForgottenAnswer = Type.Object({ forgotten: Type.Integer() })
export type ForgottenAnswer = Static<typeof ForgottenAnswer>

/** To scheduler: which runs of a project must stay, because runs of its monitors may be compared with them? */
export const KeptRuns = Type.Object({ projectId: Id })
export type KeptRuns = Static<typeof KeptRuns>

export const KeptRunsAnswer = Type.Object({ runIds: Type.Array(Id) })
export type KeptRunsAnswer = Static<typeof KeptRunsAnswer>
