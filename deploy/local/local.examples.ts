/** Shared by tests of the launcher: folders that Postgres may enter, and waits with a limit. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

type Teardown = { teardown: (handler: () => void) => unknown }

export const isAlive = (pid: number): boolean =>
  fs.existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))

/**
 * Creates a temporary folder that other users can enter, because Postgres runs as another user if this process runs as
 * root.
 */
export function folder(t: Teardown): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-local-'))
  fs.chmodSync(dir, 0o755)
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  return dir
}

/** Polls until there is a value, and returns it. Throws after about 20 s. */
export async function until<Value>(value: () => Value | null | undefined | false): Promise<Value> {
  for (let tries = 0; tries < 1_000; tries++) {
    const found = value()
    if (found) return found
    await sleep(20)
  }
  throw new Error('The condition did not hold within 20 s.')
}
