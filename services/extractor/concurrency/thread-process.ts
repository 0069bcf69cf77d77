/**
 * A worker thread in a process of its own. V8 aborts the whole process when a thread exceeds its heap by one large
 * allocation, for example when it grows an array, and here that process has no other work.
 */
import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import type { Transferable } from 'node:worker_threads'

/** The part of `Worker` that runs the requests of a thread, with the events `message`, `error` and `exit`. */
export type Runner = Pick<EventEmitter, 'on' | 'once' | 'off'> & {
  postMessage(value: unknown, handed?: readonly Transferable[]): void
  terminate(): Promise<unknown>
  /** In microseconds. */
  cpuUsage(): Promise<{ user: number; system: number }>
  getHeapStatistics(): Promise<{ external_memory: number }>
  unref(): void
}

type Measured = Awaited<ReturnType<Runner['cpuUsage']>> & Awaited<ReturnType<Runner['getHeapStatistics']>>

export type ToProcess = { type: 'request'; value: unknown } | { type: 'measure' }

/** The parts of an error, because Node serializes the errors of a thread as empty objects. */
export type SentError = {
  name: string
  message: string
  stack?: string | undefined
  code?: string | undefined
}

export type FromProcess =
  | { type: 'message'; value: unknown }
  | { type: 'error'; error: SentError }
  | { type: 'exit' }
  | { type: 'measured'; measured: Measured }

/** The process has no access to the secrets of the service. */
const inherited = ['NODE_COMPILE_CACHE', 'TZ']

/**
 * Starts the module as a thread of a new process, which ends with this process. If a signal ends the new process, it
 * counts as out of memory, except for the signals of a shutdown. Nothing can be transferred to it without a copy.
 */
export function startProcess(file: URL, maxMegabytes: number): Runner {
  const child = fork(new URL('thread-process-main.ts', import.meta.url), [file.href, `${maxMegabytes}`], {
    env: Object.fromEntries(inherited.map(name => [name, process.env[name]])),
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const events = new EventEmitter()
  const send = (message: ToProcess) => child.send(message, () => {}) // the exit event reports a closed channel
  const ended = new Promise<void>(resolve => events.once('exit', () => resolve()))
  let isTerminated = false
  child.on('message', (message: FromProcess) => {
    if (message.type === 'message') events.emit('message', message.value)
    if (message.type === 'error') events.emit('error', errorOf(message.error))
    if (message.type === 'measured') events.emit('measured', message.measured)
    if (message.type === 'exit') stop()
  })
  child.once('error', error => events.emit('error', error))
  child.once('exit', (code, signal) => {
    if (signal !== null && !isTerminated && !ofShutdown.has(signal))
      events.emit('error', errorOf(killedBy(signal)))
    events.emit('exit', code)
  })

  function stop(): void {
    isTerminated = true
    child.kill('SIGKILL')
  }

  async function measure(): Promise<Measured> {
    send({ type: 'measure' })
    const [measured] = await Promise.race([once(events, 'measured'), ended.then(() => [nothing])])
    return measured
  }

  return Object.assign(events, {
    postMessage: (value: unknown) => void send({ type: 'request', value }),
    async terminate() {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      child.ref()
      stop()
      await once(child, 'exit')
    },
    cpuUsage: measure,
    getHeapStatistics: measure,
    unref() {
      child.unref()
      child.channel?.unref()
    },
  })
}

/** Signals of a shutdown. They also reach a process that is still starting, which is not a fault of the thread. */
const ofShutdown: ReadonlySet<NodeJS.Signals> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP'])

const nothing: Measured = { user: 0, system: 0, external_memory: 0 }

const killedBy = (signal: string): SentError => ({
  name: 'Error',
  message: `the process of the thread was ended by ${signal}`,
  code: 'ERR_WORKER_OUT_OF_MEMORY',
})

/** The handlers of messages treat these as faults of the program. */
const faults = { TypeError, RangeError, SyntaxError, ReferenceError }

function errorOf({ name, message, stack, code }: SentError): Error {
  const Kind = Object.hasOwn(faults, name) ? faults[name as keyof typeof faults] : Error
  return Object.assign(new Kind(message), stack && { stack }, code && { code })
}
