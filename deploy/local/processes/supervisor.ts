/**
 * Keeps one process alive: restarts it with back-off, on the same command line, until it is stopped. Each process leads
 * its own process group. So a Ctrl-C reaches only the launcher, and the children of a process end with it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { openLog, rotateLog } from './log-file.ts'

export type ChildSpec = {
  name: string
  /** Program and arguments. */
  command: string[]
  /** Called at each start, so that a restart may get other values. */
  env: () => NodeJS.ProcessEnv
  uid?: number | undefined
  gid?: number | undefined
  stopSignal: NodeJS.Signals
  /** Milliseconds until a stopping process is killed. */
  graceMs: number
  /** Node processes get a channel, and end when it closes: they do not outlive a killed launcher. */
  hasChannel?: boolean
  /** Runs before each start. */
  beforeStart?: () => Promise<void>
}

export type Surroundings = {
  /** Folder for `NAME.log`, which takes both outputs. */
  logs: string
  started?: (name: string, pid: number) => void
  /** Called when a process dies that was not stopped. */
  died?: (death: Death) => void
}

/** The end of a process that was not stopped. It is restarted after `waitMs`; `code` is null if a signal ended it. */
export type Death = { name: string; how: string; code: number | null; waitMs: number }

const firstWaitMs = 200
const maxWaitMs = 5_000
const provenAfterMs = 30_000
const rotateEveryMs = 60_000

/**
 * Returns the milliseconds before the next start, by the last wait (0: no wait yet) and the lifetime of the process.
 */
export function nextWait(lastWaitMs: number, livedMs: number): number {
  if (lastWaitMs === 0 || livedMs >= provenAfterMs) return firstWaitMs
  return Math.min(lastWaitMs * 2, maxWaitMs)
}

export class Supervised {
  readonly spec: ChildSpec
  readonly #around: Surroundings
  /** Resolves when the first start was tried. */
  readonly launched: Promise<void>
  #launching: Promise<void>
  #child: ChildProcess | null = null
  #ended: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  readonly #rotating: NodeJS.Timeout
  #waitMs = 0
  #deaths = 0
  #isStopping = false

  /** Starts the process immediately. */
  constructor(spec: ChildSpec, around: Surroundings) {
    this.spec = spec
    this.#around = around
    const log = logOf(spec, around.logs)
    this.#rotating = setInterval(() => void rotateLog(log).catch(() => {}), rotateEveryMs).unref()
    this.launched = this.#launching = this.#launch()
  }

  /** Id of the process; null while it is down. */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** The number of deaths without a stop. */
  get deaths(): number {
    return this.#deaths
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  send(message: string): void {
    if (this.#child?.connected) this.#child.send(message, () => {})
  }

  /** Stops the process, which is not restarted. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    clearInterval(this.#rotating)
    await this.#launching.catch(() => {})
    if (this.#child === null) return
    this.#child.kill(this.spec.stopSignal)
    const impatience = setTimeout(() => this.kill(), this.spec.graceMs)
    await this.#ended
    clearTimeout(impatience)
  }

  /** Kills the process group at once. It is not restarted. */
  kill(): void {
    this.#isStopping = true
    clearTimeout(this.#timer)
    clearInterval(this.#rotating)
    killGroup(this.#child?.pid)
  }

  async #launch(): Promise<void> {
    await this.spec.beforeStart?.()
    if (this.#isStopping) return
    const began = Date.now()
    const child = start(this.spec, this.#around.logs)
    this.#child = child
    this.#ended = new Promise(resolve => {
      const ended = (how: string, code: number | null) => {
        if (this.#child === child) this.#bury(child, how, code, Date.now() - began)
        resolve()
      }
      child.once('error', error => ended(`could not be started (${error.message})`, null))
      child.once('exit', (code, signal) =>
        ended(signal === null ? `ended with code ${code}` : `was ended by ${signal}`, code),
      )
    })
    if (child.pid !== undefined) this.#around.started?.(this.spec.name, child.pid)
  }

  #bury(child: ChildProcess, how: string, code: number | null, livedMs: number): void {
    this.#child = null
    killGroup(child.pid)
    if (!this.#isStopping) this.#again(how, code, livedMs)
  }

  #again(how: string, code: number | null, livedMs: number): void {
    this.#deaths++
    this.#waitMs = nextWait(this.#waitMs, livedMs)
    this.#timer = setTimeout(() => {
      this.#launching = this.#launch().catch(error =>
        this.#again(`could not be prepared (${error.message})`, null, 0),
      )
    }, this.#waitMs)
    this.#around.died?.({ name: this.spec.name, how, code, waitMs: this.#waitMs })
  }
}

const logOf = ({ name }: ChildSpec, logs: string) => path.join(logs, `${name}.log`)

function start(spec: ChildSpec, logs: string): ChildProcess {
  const [program = '', ...args] = spec.command
  const { env, uid, gid, hasChannel } = spec
  const log = openLog(logOf(spec, logs))
  try {
    return spawn(program, args, {
      env: env(),
      detached: true,
      stdio: hasChannel ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    })
  } finally {
    fs.closeSync(log)
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // the group is empty
  }
}
