/**
 * `backup`: saves Postgres and the streams as of one moment, while services run.
 *
 * A backup equals the state that a crash of all processes at that moment leaves on the disks. So services recover from
 * a backup as they recover from a crash. Saving tables and streams one after the other does not give that state.
 * Tables first: a page that is settled in between is in RUNS without its body, and its ids are assigned again.
 * Streams first: readers have read messages that are missing, and runs hold slots that no stream knows.
 * So writes to Postgres pause for a moment (`moment.ts`), in which the ends of the streams are read. Then
 * - messages up to the ends were caused by rows in the snapshot: bodies, admissions, ids;
 * - rows were caused by messages up to the ends: checkpoints, decisions, units;
 * - a row of an outbox may already be published, and is then found in its stream, as after a crash.
 *
 * Streams are packed after that moment and contain later messages. A restore deletes these; sequences stay the same, and
 * none is assigned twice. The backup holds the lock of archiving and purging, so nothing leaves RUNS until it is packed. It
 * prevents rebuilds until all tables are copied, because a rebuild replaces tables by new ones.
 *
 * A backup does not contain
 * - work queues, whose orders are issued again as after a crash;
 * - BULKY, to which only messages of these queues refer;
 * - Redis, whose contents can be lost;
 * - the keys of secrets, without `--with-keys`;
 * - bodies in S3: only their names are saved, and their number is reported. The bucket's versions retain them.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { AdminError } from './admin-error.ts'
import { onStandardError, type Print } from './print.ts'

export const usage = 'backup --to FOLDER [--with-keys]'
export const summary =
  'Saves a consistent backup while services run. --with-keys includes the keys that decrypt secrets.'

type Saved = {
  folder: string
  at: string
  bytes: number
  rows: number
  messages: number
  /** Number of bodies in S3, which are not in the backup. */
  bodies_elsewhere: number
  /** The saved key files. */
  keys: string[]
  /** Name of the key that encrypts secrets; null if it is unknown. */
  secrets_key: string | null
  warning?: string
  held_ms: number
  seconds: number
}

/** Warning that a restore cannot check whether the key is there. */
const unnamedKey =
  'The key that encrypts secrets is unknown: set SECRETS_KEY as for the services, or name the folder with secrets.key in TIDEMARK_DIR. Without its name, a restore does not demand the key, and a start with another one cannot read the restored secrets.'

/** Throws AdminError if no instance runs there, the folder is not empty, or the requested keys are missing. */
export async function run(args: string[], dir: string, print: Print = onStandardError): Promise<Saved> {
  const { values } = parseArgs({
    args,
    options: { to: { type: 'string' }, 'with-keys': { type: 'boolean' } },
  })
  if (!values.to) throw new AdminError(`--to is missing.\n  ${usage}`, 2)
  const folder = path.resolve(values.to)
  const began = performance.now()
  const { openInstance } = await import('./open-instance.ts')
  const { emptyFolder, filesOf } = await import('./backup/manifest.ts')
  const { keyFilesOf, nameOfSecretsKey } = await import('./backup/keys.ts')
  const { save } = await import('./backup/save.ts')
  const secretsKey = nameOfSecretsKey(dir)
  const keys = values['with-keys'] ? keyFilesOf(dir, secretsKey) : []
  await using instance = await openInstance(dir)
  await emptyFolder(folder)
  const { manifest, heldMs, bodiesInS3 } = await save(instance, {
    dir,
    folder,
    keys,
    secretsKey,
    print,
  })
  const sum = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0)
  return {
    folder,
    at: manifest.at,
    bytes: sum(filesOf(manifest).map(({ bytes }) => bytes)),
    rows: sum(manifest.tables.map(({ rows }) => rows)),
    messages: sum(manifest.streams.map(({ messages }) => messages)),
    bodies_elsewhere: bodiesInS3,
    keys,
    secrets_key: secretsKey,
    ...(secretsKey === null && { warning: unnamedKey }),
    held_ms: heldMs,
    seconds: Math.round(performance.now() - began) / 1000,
  }
}
