/**
 * `purge-project`: forgets a project but for its bills, its number and its name. Every owner forgets his part when he is
 * asked, and nothing is noted in between: whoever was killed repeats it, and it ends the same.
 */
import { parseArgs } from 'node:util'
import { ask } from '@tidemark/bus/ask'
import type {
  CloseAccount,
  CloseAccountAnswer,
  ForgetProject,
  ForgottenAnswer,
} from '@tidemark/contracts/ask/forget'
import { asks } from '@tidemark/contracts/subjects'
import { AdminError } from './admin-error.ts'
import type { OpenInstance } from './open-instance.ts'
import { onStandardError, type Tell } from './tell.ts'

export const usage = 'purge-project --name NAME --yes'
export const does = 'Forgets a project but for its bills, its number and its name; nothing brings it back.'

type Purged = {
  project_id: number
  name: string
  keys: number
  addresses: number
  monitors: number
  runs: number
  secrets: number
  calls: number
  /** At the payment provider, which has to be told by whoever runs this installation. */
  subscription: string | null
}

/** Somebody may have begun something while it was forgotten: then all is gone through once more. */
const mostRounds = 5
const answerMs = 60_000
const none: ReadonlySet<number> = new Set()

/** Throws AdminError for a wrong command line, the service's Refusal where there is no such project or a service is away. */
export async function run(args: string[], dir: string, tell: Tell = onStandardError): Promise<Purged> {
  const options = { name: { type: 'string' }, yes: { type: 'boolean', default: false } } as const
  const { name, yes } = parseArgs({ args, options }).values
  if (!name) throw new AdminError(`Which project?\n  ${usage}`, 2)
  if (!yes)
    throw new AdminError(`Nothing brings it back: its crawls, monitors, keys. Say --yes.\n  ${usage}`, 2)
  const { openInstance } = await import('./open-instance.ts')
  await using instance = await openInstance(dir)
  const purged: Purged = { project_id: 0, name, ...nothing(), subscription: null }
  for (let left = mostRounds; left > 0; left--) if (!(await round(instance, purged, tell))) return purged
  throw new AdminError(`Something of "${name}" begins again and again. Repeat this.`)
}

const nothing = () => ({ keys: 0, addresses: 0, monitors: 0, runs: 0, secrets: 0, calls: 0 })

/** Keys before anything else, so that nobody begins anew what is forgotten next. Whether there was anything to do. */
async function round(instance: OpenInstance, purged: Purged, tell: Tell): Promise<boolean> {
  const { deleteRuns } = await import('./purging/runs.ts')
  const { purgeCalls, purgeMonitors, untilRead } = await import('./purging/streams.ts')
  const { bus } = instance
  const done = nothing()

  tell('its keys, proxy and addresses of people …')
  const account = await asking<CloseAccount, CloseAccountAnswer>(bus, asks.closeAccount, {
    name: purged.name,
  })
  const { projectId } = account
  done.keys = account.keys
  done.addresses = account.addresses
  Object.assign(purged, { project_id: projectId, subscription: account.subscription })

  tell('its monitors …')
  done.monitors = await forget(bus, asks.forgetMonitors, projectId)
  await purgeMonitors(bus, projectId)

  tell('its crawls …')
  const { deleted, failed } = await deleteRuns(instance, { projectId, before: null, kept: none }, tell)
  if (failed.length > 0) throw new AdminError('Mend what keeps these crawls, then repeat this.')
  done.runs = deleted

  // Who still tells a receiver would make himself a secret anew.
  tell('its secrets of webhooks …')
  await untilRead(bus, 'webhook')
  done.secrets = await forget(bus, asks.forgetSecrets, projectId)

  tell('its calls …')
  await purgeCalls(bus, projectId)
  done.calls = await forgetAll(bus, asks.forgetCalls, projectId)

  const counts = Object.entries(done) as [keyof typeof done, number][]
  for (const [what, count] of counts) purged[what] += count
  return counts.some(([, count]) => count > 0)
}

type Bus = OpenInstance['bus']

const asking = <Q, A>(bus: Bus, subject: string, question: Q): Promise<A> =>
  ask<Q, A>(bus, subject, question, { timeoutMs: answerMs })

async function forget(bus: Bus, subject: string, projectId: number): Promise<number> {
  return (await asking<ForgetProject, ForgottenAnswer>(bus, subject, { projectId })).forgotten
}

/** Of those who forget some at a time. */
async function forgetAll(bus: Bus, subject: string, projectId: number): Promise<number> {
  for (let all = 0; ; ) {
    const some = await forget(bus, subject, projectId)
    if (some === 0) return all
    all += some
  }
}
