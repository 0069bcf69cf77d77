/** `rebuild-projections`: rebuilds rows from streams while everything runs. */
import { parseArgs } from 'node:util'
import { AdminError } from '../admin-error.ts'
import type { Progress } from '../fill.ts'
import type { OpenInstance } from '../open-instance.ts'
import { onStandardError, type Print } from '../print.ts'
import type { Rebuildable } from './rebuildable.ts'

export const usage = 'rebuild-projections [--name runs|accounts|ledger] [--yes]'
export const summary =
  'Rebuilds rows from streams and archive next to the live ones. Default: the read model. --yes also deletes units of the ledger whose messages are lost.'

type Rebuilt = { rebuilt: string[]; seconds: number }

const reportEveryMs = 1_000

/**
 * Rebuilds one projection; without a name, all of the read model. Throws AdminError for an unknown name, and for units
 * of the ledger that would be deleted without a confirmation.
 */
export async function run(args: string[], dir: string, print: Print = onStandardError): Promise<Rebuilt> {
  const options = { name: { type: 'string' }, yes: { type: 'boolean', default: false } } as const
  const { values } = parseArgs({ args, options })
  const { readModelProjections, rebuildable } = await import('./rebuildable.ts')
  const { openInstance } = await import('../open-instance.ts')
  // An empty name comes from a variable that is not set, and is rejected.
  const wanted =
    values.name === undefined
      ? [...readModelProjections]
      : rebuildable.filter(({ name }) => name === values.name)
  if (wanted.length === 0) {
    const names = rebuildable.map(({ name }) => name).join(', ')
    throw new AdminError(`There is no projection "${values.name}"; there are ${names}.\n  ${usage}`, 2)
  }
  const began = performance.now()
  await using instance = await openInstance(dir)
  for (const projection of wanted) await rebuildOne(instance, projection, values.yes, print)
  const seconds = Math.round(performance.now() - began) / 1000
  return { rebuilt: wanted.map(({ name }) => name), seconds }
}

async function rebuildOne(
  instance: OpenInstance,
  projection: Rebuildable,
  mayLose: boolean,
  print: Print,
): Promise<void> {
  const { name, stream } = projection
  const { untilCaughtUp } = await import('../followers.ts')
  const { rebuild } = await import('./rebuild.ts')
  const report = (error: unknown) => print(`${name}: ${(error as Error).message}`)
  const onWait = (work: string) => print(`${name}: waiting until ${work} has ended`)
  const progress = everySecond(name, print)
  const end = await rebuild(instance, projection, { report, progress, onWait, mayLose })
  print(`${name}: rows are made from ${stream} up to ${end}`)
  // Later messages of the stream belong to the running projector.
  const [late] = await untilCaughtUp(instance, [projection])
  if (late !== undefined)
    throw new AdminError(
      `${name} is rebuilt, but ${late}. See its log. A stopped projection continues when its process restarts.`,
    )
}

function everySecond(name: string, print: Print): Progress {
  let reportedAt = performance.now()
  return (sequence, end) => {
    if (performance.now() - reportedAt < reportEveryMs) return
    reportedAt = performance.now()
    print(`${name}: at ${sequence} of ${end} (${Math.floor((100 * sequence) / end)} %)`)
  }
}
