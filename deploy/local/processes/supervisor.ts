/**
 * Keeps one process alive: a dead one is restarted with back-off, on the same command line, until it is stopped. Every
 * process leads a process group of its own, so a Ctrl-C reaches only the launcher, and no child of a process outlives
 * it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { openLog, turnLog } from './log-file.ts'

export type ChildSpec = {
  name: string
  /** Program and arguments. */
  command: string[]
  /** Called at each start, so that a restart may get other values. */
  env: () => NodeJS.ProcessEnv
  uid?: number | undefined
  gid?: number | undefined
  stopSignal: NodeJS.Signals
  /** How long it may take to stop before it is killed. */
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

/** It is restarted after `waitMs`; `code` is null if a signal ended it. */
export type Death = { name: string; how: string; code: number | null; waitMs: number }

const firstWaitMs = 200
const maxWaitMs = 5_000
const provenAfterMs = 30_000
const turnedEveryMs = 60_000

/** The wait before the next start, from the last wait (0: none) and the lifetime of the process. */
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
  #gone: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  readonly #turning: NodeJS.Timeout
  #waitMs = 0
  #deaths = 0
  #isStopping = false

  /** Starts immediately. */
  constructor(spec: ChildSpec, around: Surroundings) {
    this.spec = spec
    this.#around = around
    const log = logOf(spec, around.logs)
    this.#turning = setInterval(() => void turnLog(log).catch(() => {}), turnedEveryMs).unref()
    this.launched = this.#launching = this.#launch()
  }

  /** Null while it is down. */
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

  /** Resolves when the process has ended; it is not restarted. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    clearInterval(this.#turning)
    await this.#launching.catch(() => {})
    if (this.#child === null) return
    this.#child.kill(this.spec.stopSignal)
    const impatience = setTimeout(() => this.kill(), this.spec.graceMs)
    await this.#gone
    clearTimeout(impatience)
  }

  /** As stop, with no grace. */
  kill(): void {
    this.#isStopping = true
    clearTimeout(this.#timer)
    clearInterval(this.#turning)
    signalGroup(this.#child?.pid, 'SIGKILL')
  }

  async #launch(): Promise<void> {
    await this.spec.beforeStart?.()
    if (this.#isStopping) return
    const began = Date.now()
    const child = start(this.spec, this.#around.logs)
    this.#child = child
    this.#gone = new Promise(resolve => {
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
    signalGroup(child.pid, 'SIGKILL')
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

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // the group is empty
  }
}
