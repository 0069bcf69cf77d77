/** The running instance that an administrator talks to: found through its `run.json`, reached over its bus. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { AdminError } from './admin-error.ts'
import { readRunFile } from './run-file.ts'

const connectLimitMs = 5_000

/** Connects to the instance of this folder. Throws AdminError when none runs there. */
export async function reachInstance(dir: string): Promise<Bus> {
  const run = readRunFile(dir)
  if (run === null || !isAlive(run.pid)) {
    throw new AdminError(
      `No Tidemark runs in ${dir}. Start one with "npm start", or name its folder in TIDEMARK_DIR.`,
    )
  }
  const tooLate = sleep(connectLimitMs).then(() => {
    throw new AdminError(
      `The bus of the instance in ${dir} does not answer. Its launcher starts it again; try shortly.`,
    )
  })
  return Promise.race([openBus({ url: run.nats.url, name: 'admin' }), tooLate])
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
