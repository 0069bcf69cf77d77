/**
 * Who ends with the process that started it. Servers end with their launcher, however that ends: the kernel tells
 * them. Where the machine lacks the tool for it they live on, and the next start on the same folder stops them. The
 * launcher ends with the `npm start` that runs it.
 */
import fs from 'node:fs'

const tool = ['/usr/bin/setpriv', '/bin/setpriv'].find(file => fs.existsSync(file))

/** What to put before a command, so that it gets this signal when the process that started it is gone. */
export const endingWithParent = (signal: 'INT' | 'TERM'): string[] =>
  tool === undefined ? [] : [tool, '--pdeathsig', signal]

const lookEveryMs = 500

/**
 * Reports, within a second, that the `npm start` which runs this process is gone, however it ended. npm runs a shell that
 * runs this process, and a shell outlives an npm that is killed: so all processes up to npm are watched, whose number the
 * script passes as `npm_pid`. Does nothing under any other parent.
 */
export function whenNpmIsGone(env: NodeJS.ProcessEnv, tell: () => void): void {
  if (env.npm_lifecycle_event !== 'start') return
  const npm = Number(env.npm_pid)
  const line = ancestorsUpTo(npm)
  // One that is gone by now is none of our ancestors any more.
  const isGoneAlready = line === null && npm > 0 && !isAlive(npm)
  const watched = line ?? [process.ppid]
  const looking = setInterval(() => {
    if (!isGoneAlready && watched.every((pid, n) => parentOf(watched[n - 1]) === pid)) return
    clearInterval(looking)
    tell()
  }, lookEveryMs).unref()
}

/** Our parent, its parent and so on to this process; null where it is none of them. */
function ancestorsUpTo(last: number): number[] | null {
  const line: number[] = []
  for (let pid = parentOf(); pid !== null && pid > 0; pid = parentOf(pid)) {
    line.push(pid)
    if (pid === last) return line
  }
  return null
}

/** Null where the process is gone, or nobody can say. */
function parentOf(pid?: number): number | null {
  if (pid === undefined) return process.ppid
  try {
    // The name stands in brackets and may hold anything.
    return Number(fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1])
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
