/**
 * Allows one launcher per data folder. Processes that a killed launcher left running there are stopped before a start.
 * Only a process whose own command line or environment names this folder is stopped.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LaunchError } from '../launch-error.ts'
import { readRunFile, removeRunFile } from '../run-file.ts'

const graceMs = 5_000

/**
 * Makes this process the launcher of `dir`. Throws LaunchError ALREADY_RUNNING while another one lives. Of several starts
 * at the same time one creates the lock.
 */
export function claim(dir: string): void {
  const file = path.join(dir, 'launcher.lock')
  const own = `${file}.${process.pid}`
  fs.mkdirSync(dir, { recursive: true })
  for (;;) {
    fs.writeFileSync(own, identityOf(process.pid))
    const isClaimed = succeeds('EEXIST', () => fs.linkSync(own, file))
    fs.rmSync(own)
    if (isClaimed) return
    const holder = readText(file)
    assertEnded(holder, dir)
    if (!succeeds('ENOENT', () => fs.renameSync(file, own))) continue
    // Another start may have replaced the lock since it was read.
    if (readText(own) !== holder) succeeds('EEXIST', () => fs.linkSync(own, file))
    fs.rmSync(own)
  }
}

function assertEnded(holder: string, dir: string): void {
  const [pid = 0] = holder.split(' ').map(Number)
  if (pid !== process.pid && holder !== '' && holder === identityOf(pid)) {
    throw new LaunchError(
      'ALREADY_RUNNING',
      `process ${pid} serves ${dir}. Stop it, or set TIDEMARK_DIR and PORT for a second instance.`,
    )
  }
}

/** Returns false if the work fails with this code. */
function succeeds(unless: string, work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === unless) return false
    throw error
  }
}

export const release = (dir: string): void => fs.rmSync(path.join(dir, 'launcher.lock'), { force: true })

/** Stops the processes of the previous instance: services at once, servers so that they close their files. */
export async function stopLeftovers(dir: string, report: (line: string) => void): Promise<void> {
  const run = readRunFile(dir)
  const postmaster = Number.parseInt(readText(path.join(dir, 'data', 'postgres', 'postmaster.pid')), 10)
  const ours = (pids: (number | null | undefined)[]) =>
    [...new Set(pids)].filter(pid => pid && belongsTo(pid, dir)) as number[]

  const services = ours(run?.processes.map(({ pid }) => pid) ?? [])
  const databases = ours([run?.postgres.pid, postmaster])
  const others = ours([run?.nats.pid, run?.redis.pid])
  const all = [...services, ...databases, ...others]
  if (all.length > 0) report(`Stopping ${all.length} processes that an earlier start left behind …`)
  for (const pid of services) signal(pid, 'SIGKILL')
  for (const pid of databases) signal(pid, 'SIGINT')
  for (const pid of others) signal(pid, 'SIGTERM')
  await untilEnded(all, dir)
  removeRunFile(dir)
}

async function untilEnded(pids: number[], dir: string): Promise<void> {
  const end = Date.now() + graceMs
  const left = () => pids.filter(pid => belongsTo(pid, dir))
  while (left().length > 0 && Date.now() < end) await sleep(20)
  for (const pid of left()) signal(pid, 'SIGKILL')
  while (left().length > 0 && Date.now() < end + graceMs) await sleep(20)
}

/**
 * Returns whether a process belongs to the instance in `dir`. Its id alone proves nothing, because the system reuses
 * ids. The folder alone does not either, because npm and this process name it too.
 */
function belongsTo(pid: number, dir: string): boolean {
  const words = readText(`/proc/${pid}/cmdline`).split('\0')
  if (words.some(word => word.startsWith(path.join(dir, 'data') + path.sep))) return true
  const isHost = words.some(word => /^host\.(?:ts|mjs)$/.test(path.basename(word)))
  return isHost && readText(`/proc/${pid}/environ`).split('\0').includes(`TIDEMARK_DIR=${dir}`)
}

/**
 * Returns the id and the start time of a process. Together they identify it until the machine is booted again. Empty:
 * it has ended.
 */
function identityOf(pid: number): string {
  const afterName = readText(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  return afterName[0] === 'Z' || afterName[19] === undefined ? '' : `${pid} ${afterName[19]}`
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // it has ended
  }
}
