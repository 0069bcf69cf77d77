/**
 * Finds and kills the processes of a browser by /proc. Chromium and its child processes have a session of their own.
 * Its leader may be a script that started Chromium, as in Debian's package.
 */
import fs from 'node:fs'

export type Process = { pid: number; session: number; state: string; name: string }

/** Returns all processes of one session. Ended ones that were not reaped have the state `Z`. */
export function processesOf(session: number): Process[] {
  return everyProcess().filter(process => process.session === session)
}

/** Returns the session of a process, which is the PID of its leader; 0 if the process has ended. */
export const sessionOf = (pid: number): number => parsed(pid, read(`/proc/${pid}/stat`))?.session ?? 0

/**
 * Kills all processes of a session, including those that left its first group.
 * @param leader the number of the session, and of its first group
 */
export function killSession(leader: number): void {
  signal(-leader)
  for (const { pid } of processesOf(leader)) signal(pid)
}

/** Sends a signal to one process, if it exists; SIGKILL by default. */
export function signal(pid: number, name: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch {} // it has ended already
}

/**
 * Returns the memory in bytes that a process owns or shares with few. Mapped files are excluded, because all
 * processes of a browser map the same program.
 */
export function memoryOf(pid: number): number {
  const status = read(`/proc/${pid}/status`)
  const kilobytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024
}

/**
 * Returns the start time of a process in ticks since boot, 0 if it has ended. With the PID it identifies a process.
 */
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

/** Parses `/proc/PID/stat`. A name may contain spaces and brackets, so fields are counted from the last bracket. */
function parsed(pid: number, stat: string): Process | null {
  const end = stat.lastIndexOf(')')
  if (end < 0) return null
  const [state = '', , , session = ''] = stat.slice(end + 2).split(' ')
  return { pid, session: Number(session), state, name: stat.slice(stat.indexOf('(') + 1, end) }
}

/** Returns the text of a file, or the empty string if the process has ended. */
function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
