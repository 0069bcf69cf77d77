/**
 * Commands of an administrator to every owner of data, to erase a project. Its bills and its id stay. Each command
 * can be repeated, and then has less to erase, or nothing.
 */
import { type Static, Type } from 'typebox'
import { Id, orNull } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** To auth-billing: revokes its keys and erases its proxy and all mail addresses. */
export const CloseAccount = Type.Object({ name: Type.String() })
export type CloseAccount = Static<typeof CloseAccount>

export const CloseAccountResponse = Type.Object({
  projectId: Id,
  /** Number of keys that were revoked by this call, and of mail addresses that were erased. */
  keys: Type.Integer(),
  addresses: Type.Integer(),
  /** Subscription at the payment provider, which is not notified; null: no subscription. */
  subscription: orNull(Type.String()),
})
export type CloseAccountResponse = Static<typeof CloseAccountResponse>

export const ForgetProject = Type.Object({ projectId: Id })
export type ForgetProject = Static<typeof ForgetProject>

/** Number of monitors, exports, batches, stored scans, secrets or calls that were erased by this call. */
export const ForgottenResponse = Type.Object({ forgotten: Type.Integer() })
export type ForgottenResponse = Static<typeof ForgottenResponse>

/**
 * To scheduler: reads the runs of a project that must stay, because runs of its monitors may be compared with them.
 */
const KeptRuns = Type.Object({ projectId: Id })

const KeptRunsAnswer = Type.Object({ runIds: Type.Array(Id) })

export const closeAccount = rpc({
  subject: 'ask.accounts.close',
  request: CloseAccount,
  response: CloseAccountResponse,
  callers: ['admin'],
  server: 'auth-billing',
})

export const forgetMonitors = rpc({
  subject: 'ask.monitors.forget',
  request: ForgetProject,
  response: ForgottenResponse,
  callers: ['admin'],
  server: 'scheduler',
})

export const forgetExports = rpc({
  subject: 'ask.exports.forget',
  request: ForgetProject,
  response: ForgottenResponse,
  callers: ['admin'],
  server: 'extractor',
})

export const forgetBatches = rpc({
  subject: 'ask.batches.forget',
  request: ForgetProject,
  response: ForgottenResponse,
  callers: ['admin'],
  server: 'extractor',
})

/** Deletes some of them. Repeat it until it returns 0. */
export const forgetScans = rpc({
  subject: 'ask.content.forget-scans',
  request: ForgetProject,
  response: ForgottenResponse,
  callers: ['admin'],
  server: 'extractor',
})

export const forgetSecrets = rpc({
  subject: 'ask.webhook.forget-secrets',
  request: ForgetProject,
  response: ForgottenResponse,
  callers: ['admin'],
  server: 'webhook',
})

export const forgetCalls = rpc({
  subject: 'ask.read.forget-calls',
  request: ForgetProject,
  response: ForgottenResponse,
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
