/** Runs a Node process with one task. The process loads its code at once and begins on a message. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { LaunchError } from './launch-error.ts'
import { lastLinesOf } from './servers/server.ts'

export class Job {
  readonly #child: ChildProcess
  readonly #log: string
  readonly #ended: Promise<number | null>

  constructor(program: string, env: NodeJS.ProcessEnv, log: string, args: string[] = []) {
    const file = fs.openSync(log, 'w')
    this.#log = log
    this.#child = spawn(process.execPath, [program, ...args], {
      env,
      stdio: ['ignore', file, file, 'ipc'],
      detached: true,
    })
    fs.closeSync(file)
    this.#ended = once(this.#child, 'exit').then(([code]) => code)
    this.#ended.catch(() => {}) // received in run
  }

  /** Lets the process begin and waits for its end. Throws LaunchError PREPARE_FAILED with the end of its log. */
  async run(): Promise<void> {
    if (this.#child.connected) this.#child.send('go', () => {})
    const code = await this.#ended
    if (code !== 0)
      throw new LaunchError('PREPARE_FAILED', `${this.#log} ends with:\n${await lastLinesOf(this.#log)}`)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
