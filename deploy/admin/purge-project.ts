/**
 * `purge-project`: deletes a project except its bills, its number and its name. Every owner deletes its part on
 * request, and no progress is recorded: after a kill the command is repeated, with the same result.
 */
import { parseArgs } from 'node:util'
import { call } from '@tidemark/bus/rpc'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import { streams } from '@tidemark/contracts/subjects'
import { AdminError } from './admin-error.ts'
import type { OpenInstance } from './open-instance.ts'
import { onStandardError, type Print } from './print.ts'

export const usage = 'purge-project --name NAME --yes'
export const summary = 'Permanently deletes a project, except its bills, its number and its name.'

type Purged = {
  project_id: number
  name: string
  keys: number
  addresses: number
  monitors: number
  runs: number
  exports: number
  batches: number
  scans: number
  secrets: number
  calls: number
  /** Subscription at the payment provider, which the operator must cancel; null: none. */
  subscription: string | null
}

/** Requests in progress can create new data. All steps are then repeated, at most this often. */
const maxRounds = 5
const answerMs = 60_000
const none: ReadonlySet<number> = new Set()
/** The webhooks of batches are decided apart from those of crawls. */
const batchWebhooks = {
  schema: 'webhook',
  name: 'decide-batches',
  stream: streams.batches,
  filter: 'batches.*',
}

/**
 * Throws AdminError for a wrong command line, and the service's Refusal for an unknown project or an unavailable
 * service.
 */
export async function run(args: string[], dir: string, print: Print = onStandardError): Promise<Purged> {
  const options = { name: { type: 'string' }, yes: { type: 'boolean', default: false } } as const
  const { name, yes } = parseArgs({ args, options }).values
  if (!name) throw new AdminError(`--name is missing.\n  ${usage}`, 2)
  if (!yes)
    throw new AdminError(
      `This permanently deletes the crawls, monitors and keys. Confirm with --yes.\n  ${usage}`,
      2,
    )
  const { openInstance } = await import('./open-instance.ts')
  await using instance = await openInstance(dir)
  const purged: Purged = { project_id: 0, name, ...nothing(), subscription: null }
  let found: string[] = []
  for (let left = maxRounds; left > 0; left--) {
    found = await round(instance, purged, print)
    if (found.length === 0) return purged
  }
  throw new AdminError(
    `Requests in progress keep storing data of "${name}" (${found.join(', ')}). Run this command again.`,
  )
}

const nothing = () => ({
  keys: 0,
  addresses: 0,
  monitors: 0,
  runs: 0,
  exports: 0,
  batches: 0,
  scans: 0,
  secrets: 0,
  calls: 0,
})

/** Keys come first, so that no request recreates data that is deleted next. Returns the kinds of data that were found. */
async function round(instance: OpenInstance, purged: Purged, print: Print): Promise<string[]> {
  const { untilCaughtUp } = await import('./followers.ts')
  const { deleteRuns } = await import('./purging/runs.ts')
  const { purgeBatches, purgeCalls, purgeExports, purgeMonitors, untilRead } = await import(
    './purging/streams.ts'
  )
  const { bus } = instance
  const done = nothing()

  print('its keys, proxy and addresses of people …')
  const account = await call(bus, forgetRpc.closeAccount, { name: purged.name }, { timeoutMs: answerMs })
  const { projectId } = account
  done.keys = account.keys
  done.addresses = account.addresses
  Object.assign(purged, { project_id: projectId, subscription: account.subscription })

  print('its monitors …')
  done.monitors = await forget(bus, forgetRpc.forgetMonitors, projectId)
  await purgeMonitors(instance, projectId)

  print('its crawls …')
  const { deleted, failed } = await deleteRuns(instance, { projectId, before: null, kept: none }, print)
  if (failed.length > 0)
    throw new AdminError('Fix what prevents the deletion of these crawls, then run this command again.')
  done.runs = deleted

  print('its exports …')
  done.exports = await forget(bus, forgetRpc.forgetExports, projectId)
  await purgeExports(bus, projectId)

  print('its batches of scans …')
  done.batches = await forget(bus, forgetRpc.forgetBatches, projectId)
  await purgeBatches(bus, projectId)

  print('its stored scans …')
  done.scans = await forgetAll(bus, forgetRpc.forgetScans, projectId)

  // A pending delivery would create a secret again.
  print('its secrets of webhooks …')
  await untilRead(bus, 'webhook')
  const [late] = await untilCaughtUp(instance, [batchWebhooks])
  if (late !== undefined) throw new AdminError(`${late}. Run this command again when webhook is ready.`)
  done.secrets = await forget(bus, forgetRpc.forgetSecrets, projectId)

  print('its calls …')
  await purgeCalls(bus, projectId)
  done.calls = await forgetAll(bus, forgetRpc.forgetCalls, projectId)

  const counts = Object.entries(done) as [keyof typeof done, number][]
  for (const [what, count] of counts) purged[what] += count
  return counts.filter(([, count]) => count > 0).map(([what]) => what)
}

type Bus = OpenInstance['bus']

/** A procedure that deletes a service's data of a project. */
type Forget = typeof forgetRpc.forgetMonitors

async function forget(bus: Bus, rpc: Forget, projectId: number): Promise<number> {
  return (await call(bus, rpc, { projectId }, { timeoutMs: answerMs })).forgotten
}

/** Repeats a deletion in batches until nothing is left. */
async function forgetAll(bus: Bus, rpc: Forget, projectId: number): Promise<number> {
  for (let all = 0; ; ) {
    const some = await forget(bus, rpc, projectId)
    if (some === 0) return all
    all += some
  }
}
