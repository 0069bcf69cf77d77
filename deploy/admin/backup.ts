/**
 * `backup`: Postgres and the streams at one moment, while everything runs.
 *
 * A backup is what a crash of all processes at that moment would have left on the disks, so whoever starts with it does
 * what every service does after a crash, and nothing of its own. Neither order alone gives that. Tables first: a page
 * that was settled in between stands in RUNS without its body, and its ids would be given out again. Streams first:
 * readers have read what is not there, and runs hold slots that no stream knows. So nobody writes to Postgres for a
 * moment (`moment.ts`), in which the streams are asked where they end. Then
 * - what stands in a stream up to there was caused by rows that are in the snapshot: bodies, admissions, ids;
 * - what stands in a row was caused by messages up to there: checkpoints, decisions, units;
 * - a row of an outbox may be published already, and is then found in its stream, as after a crash.
 *
 * Streams are packed after that moment and hold more. What is later is taken out again when they are restored; places
 * in a stream stay what they are, and none is given twice. Nobody takes from RUNS until it is packed: the lock of those
 * who archive and purge is held.
 *
 * Not in it: the queues of work, whose orders go out again as after a crash; BULKY, which only messages of theirs name;
 * Redis, which holds nothing that must be true; the keys of secrets, unless `--with-keys` asks for them; and bodies that lie in
 * S3, of which it has the names alone: how many these are is told, and keeping them is for the bucket's versions.
 */
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { AdminError } from './admin-error.ts'
import { onStandardError, type Tell } from './tell.ts'

export const usage = 'backup --to FOLDER [--with-keys]'
export const does =
  'Saves a consistent backup while services run. --with-keys includes the keys that decrypt secrets.'

type Saved = {
  folder: string
  at: string
  bytes: number
  rows: number
  messages: number
  /** Bodies that are not in it, for they lie in S3. */
  bodies_elsewhere: number
  held_ms: number
  seconds: number
}

/** Throws AdminError where no instance runs there, or the folder is not empty. */
export async function run(args: string[], dir: string, tell: Tell = onStandardError): Promise<Saved> {
  const { values } = parseArgs({
    args,
    options: { to: { type: 'string' }, 'with-keys': { type: 'boolean' } },
  })
  if (!values.to) throw new AdminError(`Where to?\n  ${usage}`, 2)
  const folder = path.resolve(values.to)
  const began = performance.now()
  const { openInstance } = await import('./open-instance.ts')
  const { emptyFolder, filesOf } = await import('./backup/manifest.ts')
  const { save } = await import('./backup/save.ts')
  await using instance = await openInstance(dir)
  await emptyFolder(folder)
  const { manifest, heldMs, bodiesElsewhere } = await save(instance, {
    dir,
    folder,
    keys: keysToSave(dir, values['with-keys']),
    tell,
  })
  const sum = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0)
  return {
    folder,
    at: manifest.at,
    bytes: sum(filesOf(manifest).map(({ bytes }) => bytes)),
    rows: sum(manifest.tables.map(({ rows }) => rows)),
    messages: sum(manifest.streams.map(({ messages }) => messages)),
    bodies_elsewhere: bodiesElsewhere,
    held_ms: heldMs,
    seconds: Math.round(performance.now() - began) / 1000,
  }
}

/** What opens the sealed, and the first project's key: in the clear, both of them. */
const keyFiles = ['secrets.key', 'first-key.json']

function keysToSave(dir: string, isWanted: boolean | undefined): string[] {
  return isWanted ? keyFiles.filter(name => fs.existsSync(path.join(dir, name))) : []
}
