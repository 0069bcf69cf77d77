/** CPU time and memory of processes, from /proc: user and system seconds, and resident memory. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK']))

/** Returns these processes and all their descendants. */
export function treeOf(roots: number[]): number[] {
  const children = childrenByParent()
  const tree = new Set(roots)
  for (const pid of tree) for (const child of children.get(pid) ?? []) tree.add(child)
  return [...tree]
}

/**
 * Returns user and system seconds, including children that have ended and were waited for. Processes that have ended
 * count 0.
 */
export function cpuSeconds(pids: number[]): number {
  return pids.reduce((sum, pid) => {
    const { utime = 0, stime = 0, cutime = 0, cstime = 0 } = statOf(pid) ?? {}
    return sum + (utime + stime + cutime + cstime) / ticksPerSecond
  }, 0)
}

/** Returns the sum of the resident sets in bytes. Shared pages count once per process. */
export function residentBytes(pids: number[]): number {
  return (
    pids.reduce(
      (sum, pid) => sum + Number(/^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0),
      0,
    ) * 1024
  )
}

/** Returns the seconds that all processors together were busy since the machine started, for any process. */
export function busySeconds(): number {
  const [user = 0, nice = 0, system = 0, _idle, _waiting, irq = 0, soft = 0, steal = 0] =
    read('/proc/stat').split('\n', 1)[0]?.split(/\s+/).slice(1).map(Number) ?? []
  return (user + nice + system + irq + soft + steal) / ticksPerSecond
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? statOf(Number(name))?.parent : undefined
    if (parent === undefined) continue
    const siblings = children.get(parent)
    if (siblings) siblings.push(Number(name))
    else children.set(parent, [Number(name)])
  }
  return children
}

type Stat = { parent: number; utime: number; stime: number; cutime: number; cstime: number }

/** Parses proc_pid_stat(5). The program's name is in parentheses and may contain any character. */
function statOf(pid: number): Stat | null {
  const text = read(`/proc/${pid}/stat`)
  if (text === '') return null
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [parent = 0] = fields.slice(1)
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11)
  return { parent, utime, stime, cutime, cstime }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // the process has just ended
  }
}
