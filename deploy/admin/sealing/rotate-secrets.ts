/**
 * `rotate-secrets`: replaces the key that seals customers' secrets, in three steps that may be repeated. The first adds
 * a new key before the old ones. The second, after a restart, seals the stored values with it. The third removes the
 * old keys when no value needs them.
 */
import { parseArgs } from 'node:util'
import { sealer, secretKeyId } from '@tidemark/secrets/seal'
import { readRunFile } from '../../local/run-file.ts'
import { type KeyFile, makeKey, readKeyFile, writeKeyFile } from '../../local/secrets-key.ts'
import { AdminError } from '../admin-error.ts'
import { namedServers } from '../reach-instance.ts'

export const usage = 'rotate-secrets [--reseal | --drop-old]'
export const summary =
  'Replaces the key that encrypts secrets, in three steps: without an option, with --reseal, with --drop-old.'

type Made = { key: string; old_keys: string[]; next: string }
type State = {
  resealed: number
  left: number
  unreadable: number
  runs_left: number
  old_keys_needed: boolean
}
type Dropped = { key: string; dropped: string[] }

/** Prints the ids of keys, which reveal nothing about them. Throws AdminError if a step is too early. */
export async function run(args: string[], dir: string): Promise<Made | State | Dropped> {
  const options = { reseal: { type: 'boolean' }, 'drop-old': { type: 'boolean' } } as const
  const { reseal: again, 'drop-old': drop } = parseArgs({ args, options }).values
  if (again && drop) throw new AdminError(`One step at a time.\n  ${usage}`, 2)
  if (!again && !drop) return addKey(dir)
  const [newest, ...older] = keysOf(dir)
  assertTakenUp(dir, newest)
  const state = await reseal(dir, newest, older)
  return drop ? dropOld(dir, state) : state
}

function addKey(dir: string): Made {
  const before = ownKeys(dir)
  const [newest] = before
  if (readRunFile(dir) !== null) assertTakenUp(dir, newest)
  const keys: KeyFile = [makeKey(), ...before]
  writeKeyFile(dir, keys)
  const next = 'Keep a copy of secrets.key, stop and start the instance, then: rotate-secrets --reseal'
  return { key: secretKeyId(keys[0]), old_keys: before.map(secretKeyId), next }
}

/** Seals everything possible again, and returns the number of values that still have old keys. */
async function reseal(dir: string, newestKey: string, older: string[]): Promise<State> {
  const { openInstance } = await import('../open-instance.ts')
  const { countStale, resealTables } = await import('./reseal.ts')
  const { countRunsWithOldKeys } = await import('./sealed-runs.ts')
  const ring = { sealer: sealer(newestKey, older), newest: `sealed2.${secretKeyId(newestKey)}.` }
  await using instance = await openInstance(dir)
  const done = await resealTables(instance, ring)
  const left = await countStale(instance, ring.newest)
  const runs = await countRunsWithOldKeys(instance, ring.sealer)
  return { ...done, left, runs_left: runs, old_keys_needed: left > done.unreadable || runs > 0 }
}

function dropOld(dir: string, { left, unreadable, runs_left, old_keys_needed }: State): Dropped {
  const [newest, ...older] = ownKeys(dir)
  if (old_keys_needed)
    throw new AdminError(
      `The old keys are needed: ${left - unreadable} rows and ${runs_left} active runs hold data that they encrypted. Try again when the runs have ended.`,
    )
  writeKeyFile(dir, [newest])
  return { key: secretKeyId(newest), dropped: older.map(secretKeyId) }
}

/** Returns the keys with which the services were started. */
function keysOf(dir: string): KeyFile {
  const { SECRETS_KEY, SECRETS_KEYS_OLD = '' } = process.env
  if (!SECRETS_KEY && namedServers() !== null)
    throw new AdminError(
      'NATS_URL and DATABASE_URL name an instance whose keys are unknown to this command: set SECRETS_KEY and SECRETS_KEYS_OLD as for its services.',
    )
  const own: KeyFile = SECRETS_KEY ? [SECRETS_KEY] : ownKeys(dir)
  const older = SECRETS_KEYS_OLD.split(',').map(key => key.trim())
  return [...own, ...older.filter(Boolean)]
}

function ownKeys(dir: string): KeyFile {
  if (process.env.SECRETS_KEY)
    throw new AdminError(
      'SECRETS_KEY is set, so you replace it yourself: set it to a new key, put the present one first into SECRETS_KEYS_OLD, restart all services, then: rotate-secrets --reseal',
    )
  const keys = readKeyFile(dir)
  if (keys === null) throw new AdminError(`There is no secrets.key in ${dir}: no instance was started there.`)
  return keys
}

/**
 * Throws AdminError if the services do not know the newest key yet. With many machines only the operator can know that,
 * so nothing is checked.
 */
function assertTakenUp(dir: string, newest: string): void {
  if (namedServers() !== null) return
  if (readRunFile(dir)?.secrets_key !== secretKeyId(newest))
    throw new AdminError(
      `The instance in ${dir} does not use the newest key yet. Restart it, then run this command again.`,
    )
}
