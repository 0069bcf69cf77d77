/**
 * The data folder of a system that has been started and stopped once: databases migrated, streams declared, sample
 * crawled. Systems of tests begin with a copy of it, which saves half of their start.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { startSystem } from '../e2e/system.ts'

/** Files that decide the content of a data folder. Each start brings a seed of older code up to date. */
const sources = [
  'package-lock.json',
  'contracts/subjects.ts',
  'deploy/{local,nats,postgres}/*.ts',
  'services/*/database.ts',
]
/** Files of a stopped system that the seed contains. Logs and addresses are left out. */
const kept = ['data', 'evidence.key', 'first-key.json', 'passwords.key', 'secrets.key']
/** Maximum age of a seed: its sample crawl must not be so old that a system treats it as an old run. */
const maxAgeMs = 12 * 3_600_000

const prefix = 'system-'

/** Returns the folder of the seed for the code in `root`. Makes it if `cache` has none. */
export async function systemSeed(root: string, cache: string, make = makeSeed): Promise<string> {
  const name = `${prefix}${await fingerprint(root)}`
  await fs.mkdir(cache, { recursive: true })
  for (const other of await fs.readdir(cache))
    if (other.startsWith(prefix) && (other !== name || !(await isYoung(path.join(cache, other)))))
      await fs.rm(path.join(cache, other), { recursive: true, force: true })
  const seed = path.join(cache, name)
  if (!(await isYoung(seed))) await make(seed)
  return seed
}

async function makeSeed(seed: string): Promise<void> {
  const dir = await fs.mkdtemp(path.join(os.tmpdir(), 'tidemark-seed-'))
  const fresh = `${seed}.new-${process.pid}`
  try {
    const system = await startSystem({}, dir)
    await system.stop()
    await fs.mkdir(fresh, { recursive: true })
    await promisify(execFile)('cp', ['-a', ...kept.map(name => path.join(dir, name)), fresh])
    await fs.rename(fresh, seed)
  } finally {
    for (const folder of [dir, fresh]) await fs.rm(folder, { recursive: true, force: true })
  }
}

async function isYoung(folder: string): Promise<boolean> {
  const stat = await fs.stat(folder).catch(() => null)
  return stat !== null && Date.now() - stat.birthtimeMs < maxAgeMs
}

async function fingerprint(root: string): Promise<string> {
  const files = await Array.fromAsync(fs.glob(sources, { cwd: root }))
  const hash = createHash('sha256')
  for (const file of files.sort()) hash.update(file).update(await fs.readFile(path.join(root, file)))
  return hash.digest('hex').slice(0, 16)
}
