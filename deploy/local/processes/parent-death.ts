/**
 * Ends processes together with the process that started them. Servers end with their launcher, because the kernel
 * signals them. On a machine without the tool `setpriv` they continue, and the next start on the same folder stops
 * them. The launcher ends with the `npm start` that runs it.
 */
import fs from 'node:fs'
import { isAlive } from './is-alive.ts'

const tool = ['/usr/bin/setpriv', '/bin/setpriv'].find(file => fs.existsSync(file))

/** Returns a prefix for a command, so that the kernel sends this signal when the starting process ends. */
export const endingWithParent = (signal: 'INT' | 'TERM'): string[] =>
  tool === undefined ? [] : [tool, '--pdeathsig', signal]

const checkIntervalMs = 500

/**
 * Calls `onDeath` within a second after the `npm start` that runs this process has ended. npm runs a shell that runs
 * this process, and a shell outlives a killed npm, so all processes up to npm are watched. The script passes the id of
 * npm as `npm_pid`. Does nothing if this process runs outside of `npm start`.
 */
export function whenNpmEnds(env: NodeJS.ProcessEnv, onDeath: () => void): void {
  if (env.npm_lifecycle_event !== 'start') return
  const npm = Number(env.npm_pid)
  const ancestors = ancestorsUpTo(npm)
  // A process that has ended is not an ancestor any more.
  const hasEnded = ancestors === null && npm > 0 && !isAlive(npm)
  const watched = ancestors ?? [process.ppid]
  const looking = setInterval(() => {
    if (!hasEnded && watched.every((pid, n) => parentOf(watched[n - 1]) === pid)) return
    clearInterval(looking)
    onDeath()
  }, checkIntervalMs).unref()
}

/** Returns the ids of our ancestors up to `last`; null if `last` is not an ancestor. */
function ancestorsUpTo(last: number): number[] | null {
  const ancestors: number[] = []
  for (let pid = parentOf(); pid !== null && pid > 0; pid = parentOf(pid)) {
    ancestors.push(pid)
    if (pid === last) return ancestors
  }
  return null
}

/** Returns the id of the parent; null if the process has ended or cannot be read. */
function parentOf(pid?: number): number | null {
  if (pid === undefined) return process.ppid
  try {
    // The name is in brackets and may contain any character.
    return Number(fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1])
  } catch {
    return null
  }
}
