/**
 * What an administrator asks of every owner when a project is to be forgotten: its bills and its number stay. Each may
 * be asked again, and then finds less to do, or nothing.
 */
import { type Static, Type } from 'typebox'
import { Id, orNull } from '../primitives.ts'
import { rpc } from './rpc.ts'

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
const KeptRuns = Type.Object({ projectId: Id })

const KeptRunsAnswer = Type.Object({ runIds: Type.Array(Id) })

export const closeAccount = rpc({
  subject: 'ask.accounts.close',
  request: CloseAccount,
  response: CloseAccountAnswer,
  callers: ['admin'],
  server: 'auth-billing',
})

export const forgetMonitors = rpc({
  subject: 'ask.monitors.forget',
  request: ForgetProject,
  response: ForgottenAnswer,
  callers: ['admin'],
  server: 'scheduler',
})

export const forgetSecrets = rpc({
  subject: 'ask.webhook.forget-secrets',
  request: ForgetProject,
  response: ForgottenAnswer,
  callers: ['admin'],
  server: 'webhook',
})

export const forgetCalls = rpc({
  subject: 'ask.read.forget-calls',
  request: ForgetProject,
  response: ForgottenAnswer,
  callers: ['admin'],
  server: 'projector',
})

export const keptRuns = rpc({
  subject: 'ask.monitors.kept-runs',
  request: KeptRuns,
  response: KeptRunsAnswer,
  callers: ['crawl-coordinator', 'admin'],
  server: 'scheduler',
})
