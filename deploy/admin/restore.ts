/**
 * `restore`: loads the files of `backup` into servers that are empty and unused. It ends with the check of the
 * invariants at the time of the backup. The next start continues from there as after a crash.
 */
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { recordRestored } from '../local/restored.ts'
import { AdminError } from './admin-error.ts'
import type { BackupFile, Manifest } from './backup/manifest.ts'
import type { Check } from './invariants.ts'
import type { OpenInstance } from './open-instance.ts'
import { onStandardError, type Print } from './print.ts'
import { lineOf } from './verify.ts'

export const usage = 'restore --from FOLDER [--check]'
export const summary =
  'Restores a backup into empty servers. --check only checks the backup, without servers.'

type Restored = {
  ok: boolean
  at: string
  rows: number
  messages: number
  seconds: number
  /** Undefined with `--check`. */
  checks?: Check[]
}

/** Throws AdminError if the backup is incomplete or of a newer version, or the servers are not empty. */
export async function run(args: string[], dir: string, print: Print = onStandardError): Promise<Restored> {
  const options = { from: { type: 'string' }, check: { type: 'boolean' } } as const
  const { values } = parseArgs({ args, options })
  if (!values.from) throw new AdminError(`--from is missing.\n  ${usage}`, 2)
  const folder = path.resolve(values.from)
  const began = performance.now()
  const manifest = await readWhole(folder)
  const checks = values.check ? undefined : await restore(dir, { folder, manifest, print })
  print(`The encrypted data needs ${keyOf(manifest)} (secrets.key or SECRETS_KEY).`)
  for (const check of checks ?? []) print(lineOf(check))
  const sum = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0)
  return {
    ok: checks?.every(({ ok }) => ok) ?? true,
    at: manifest.at,
    rows: sum(manifest.tables.map(({ rows }) => rows)),
    messages: sum(manifest.streams.map(({ messages }) => messages)),
    seconds: Math.round(performance.now() - began) / 1000,
    ...(checks && { checks }),
  }
}

/** Returns the manifest of a backup that this version can restore, after a check of all its files. */
async function readWhole(folder: string): Promise<Manifest> {
  const { checkFiles, readManifest } = await import('./backup/manifest.ts')
  const { refuseUnknown } = await import('./backup/load.ts')
  const manifest = await readManifest(folder)
  await refuseUnknown(manifest)
  await checkFiles(folder, manifest)
  return manifest
}

async function restore(dir: string, loading: Loading): Promise<Check[]> {
  const { withEmptyServers } = await import('./backup/empty-servers.ts')
  const { openServers } = await import('./open-instance.ts')
  const { checkAtRest } = await import('./invariants.ts')
  const { folder, manifest } = loading
  return withEmptyServers(dir, loading.print, async urls => {
    await using servers = await openServers(urls)
    await loadInto(servers, loading)
    // Before the folder has data: a start with data and without the keys would create other ones. And before the
    // checks, because the data stays in the servers even if a check cannot be carried out.
    recordRestored(dir, { at: manifest.at, secretsKey: manifest.secretsKey })
    for (const key of manifest.keys) restoreKeyFile(dir, folder, key)
    return await checkAtRest(servers)
  })
}

const keyOf = ({ secretsKey }: Manifest): string =>
  secretsKey === null ? 'its key, which the backup does not name' : `the key ${secretsKey}`

type Loading = { folder: string; manifest: Manifest; print: Print }

async function loadInto(servers: OpenInstance, loading: Loading): Promise<void> {
  const { load, refuseData } = await import('./backup/load.ts')
  await refuseData(servers, loading.manifest)
  await load(servers, loading)
}

/** Copies a key file from the backup. An existing file belongs to the operator and is not replaced. */
function restoreKeyFile(dir: string, folder: string, { file }: BackupFile): void {
  const target = path.join(dir, path.basename(file))
  if (fs.existsSync(target)) return
  fs.copyFileSync(path.join(folder, file), target)
  fs.chmodSync(target, 0o600)
}
