/**
 * What /proc says of a browser's processes. Chromium has a session of its own, and all that it starts is in it; what
 * leads it may be a script that started Chromium, as with Debian's package.
 */
import fs from 'node:fs'

export type Process = { pid: number; session: number; state: string; name: string }

/** All processes of one session; those that ended and were not waited for have the state `Z`. */
export function processesOf(session: number): Process[] {
  return everyProcess().filter(process => process.session === session)
}

/** The session of a process, which is the pid of whoever leads it; 0 where the process is gone. */
export const sessionOf = (pid: number): number => parsed(pid, read(`/proc/${pid}/stat`))?.session ?? 0

/**
 * Ends all of them at once, and what left the group but not the session too.
 * @param leader the number of the session, and of its first group
 */
export function killSession(leader: number): void {
  signal(-leader)
  for (const { pid } of processesOf(leader)) signal(pid)
}

/** Ends one process, if it is there. */
export function signal(pid: number, name: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch {} // it is gone already
}

/**
 * Bytes of memory that a process has to itself or shares with few: what its files occupy is left out, as all
 * processes of a browser map the same program.
 */
export function memoryOf(pid: number): number {
  const status = read(`/proc/${pid}/status`)
  const kilobytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024
}

/** When a process began, in ticks since the machine did: with the pid it names one process for good. 0 where it is gone. */
export function startedAt(pid: number): number {
  const stat = read(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 0)
}

function everyProcess(): Process[] {
  return fs
    .readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => parsed(Number(name), read(`/proc/${name}/stat`)))
    .filter(process => process !== null)
}

/** A name may hold spaces and brackets, so the fields are counted from the last bracket. */
function parsed(pid: number, stat: string): Process | null {
  const end = stat.lastIndexOf(')')
  if (end < 0) return null
  const [state = '', , , session = ''] = stat.slice(end + 2).split(' ')
  return { pid, session: Number(session), state, name: stat.slice(stat.indexOf('(') + 1, end) }
}

/** Empty where the process is gone. */
function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
