/**
 * Servers that end with their launcher, however that ends: the kernel tells them. Where the machine lacks the
 * tool for it they live on, and the next start on the same folder stops them.
 */
import fs from 'node:fs'

const tool = ['/usr/bin/setpriv', '/bin/setpriv'].find(file => fs.existsSync(file))

/** What to put before a command, so that it gets this signal when the process that started it is gone. */
export const endingWithParent = (signal: 'INT' | 'TERM'): string[] =>
  tool === undefined ? [] : [tool, '--pdeathsig', signal]
