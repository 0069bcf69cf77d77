/** The folder into which tests write. */
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { isAlive } from '../../deploy/local/processes/is-alive.ts'

const memory = '/dev/shm'
/** All files that run at once keep less than this, unless one of them fails. */
const minFreeBytes = 4 * 1024 ** 3
const prefix = 'tidemark-test-'

/**
 * Returns an empty folder for everything that tests write. The user that runs Postgres can also enter it. The folder is
 * in memory if enough memory is free: a sync costs nothing there, and nothing in it must survive a restart of the
 * machine. Removes the folders of runs that were killed, because no other process frees their memory.
 */
export async function scratchFolder(memoryFolder = memory): Promise<string> {
  const space = await fs.statfs(memoryFolder).catch(() => null)
  const isRoomy = space !== null && space.bavail * space.bsize >= minFreeBytes
  const parent = isRoomy ? memoryFolder : os.tmpdir()
  for (const name of await fs.readdir(parent)) {
    const pid = Number(/^tidemark-test-(\d+)-/.exec(name)?.[1])
    if (pid > 0 && !isAlive(pid))
      await fs.rm(path.join(parent, name), { recursive: true, force: true, maxRetries: 5 })
  }
  const dir = await fs.mkdtemp(path.join(parent, `${prefix}${process.pid}-`))
  await fs.chmod(dir, 0o755)
  return dir
}
