/**
 * Who ends with the process that started it. Servers end with their launcher, however that ends: the kernel tells
 * them. Where the machine lacks the tool for it they live on, and the next start on the same folder stops them. The
 * launcher ends with the `npm start` that runs it, which passes no SIGTERM on.
 */
import fs from 'node:fs'

const tool = ['/usr/bin/setpriv', '/bin/setpriv'].find(file => fs.existsSync(file))

/** What to put before a command, so that it gets this signal when the process that started it is gone. */
export const endingWithParent = (signal: 'INT' | 'TERM'): string[] =>
  tool === undefined ? [] : [tool, '--pdeathsig', signal]

const lookEveryMs = 500

/** Tells, within a second, that the `npm start` which runs this process is gone; of any other parent nothing. */
export function whenNpmIsGone(env: NodeJS.ProcessEnv, tell: () => void): void {
  if (env.npm_lifecycle_event !== 'start') return
  const npm = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === npm) return
    clearInterval(looking)
    tell()
  }, lookEveryMs).unref()
}
