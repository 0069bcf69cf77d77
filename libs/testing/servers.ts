/**
 * Real servers for tests: a separate database in the Postgres that `npm test` started, and nats-servers and Redis
 * that live as long as a test. Tests share none of them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import fs from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@tidemark/config/free-ports'
import pg from 'pg'
import { patient } from './slowness.ts'

export type FreshDatabase = { url: string; drop(): Promise<void> }
export type Throwaway = {
  url: string
  /** The folder of its files. */
  dir: string
  /** Sends SIGTERM, waits for the end, and removes its folder. */
  stop(): Promise<void>
  /** Sends SIGTERM and waits until it has stored its state. Its folder and port stay for `restart`. */
  quit(): Promise<void>
  /** Sends SIGKILL and waits for the end. Its folder and port stay for `restart`. */
  kill(): Promise<void>
  /**
   * Sends SIGSTOP and waits until every thread of the server is stopped: right after the signal, on a busy machine, a
   * thread may still answer one request. The server keeps its connections, and answers nothing until `resume`.
   */
  pause(): Promise<void>
  resume(): void
  /** Sends SIGHUP, with which NATS reads its configuration again. */
  reload(): void
  /** Starts it again on the same port and folder; kills it first if it runs. */
  restart(): Promise<void>
}

/** Creates a database on the server of TEST_DATABASE_URL: an empty one, or a copy of the named one. */
export async function freshDatabase(template = 'template1'): Promise<FreshDatabase> {
  const server = needed('TEST_DATABASE_URL')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await execute(server, `create database ${name} template ${template}`)
  return {
    url: databaseUrl(name),
    drop: () => execute(server, `drop database if exists ${name} with (force)`),
  }
}

/** Returns the URL of the database with this name on the server of TEST_DATABASE_URL. */
export function databaseUrl(name: string): string {
  const url = new URL(needed('TEST_DATABASE_URL'))
  url.pathname = `/${name}`
  return url.href
}

/**
 * Starts a nats-server with JetStream that syncs every message, as in production. `more` is added to its
 * configuration, and `user` may connect.
 */
export async function throwawayNats(more = '', user?: { user: string; pass: string }): Promise<Throwaway> {
  const program = needed('TEST_NATS_BIN')
  const greeting = `CONNECT ${JSON.stringify({ verbose: false, ...user })}\r\nPING\r\n`
  return throwaway('nats', greeting, /PONG/, async (dir, port) => {
    const file = path.join(dir, 'nats.conf')
    await fs.writeFile(
      file,
      `listen: 127.0.0.1:${port}\nmax_payload: 8MB\n` +
        `jetstream { store_dir: ${JSON.stringify(dir)}, sync_interval: always, max_file_store: 24GB }\n${more}`,
    )
    return run([program, '-c', file])
  })
}

export async function throwawayRedis(): Promise<Throwaway> {
  const program = needed('TEST_REDIS_BIN')
  const multiarch = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`
  const libraries = path.resolve(path.dirname(program), '../lib', multiarch)
  const plain = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  return throwaway('redis', 'PING\r\n', /^\+PONG/, async (dir, port) =>
    run([program, '--port', String(port), '--dir', dir, ...plain], { LD_LIBRARY_PATH: libraries }),
  )
}

const setpriv = '/usr/bin/setpriv'

/**
 * Returns a command that ends with this process, because a test may be killed at its time limit. Returns the command
 * unchanged if the machine has no `setpriv`.
 */
export const endingWithUs = (signal: 'KILL' | 'TERM', command: string[]): string[] =>
  existsSync(setpriv) ? [setpriv, '--pdeathsig', signal, ...command] : command

/** Starts a server that ends with this process. */
export function run(command: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const [program = '', ...args] = endingWithUs('KILL', command)
  return spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } })
}

/** Returns whether every thread of a process is stopped; true if the system has no /proc (proc_pid_stat(5)). */
async function standsStill(pid: number): Promise<boolean> {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return true
  const ids = await fs.readdir(tasks)
  const stats = await Promise.all(ids.map(id => fs.readFile(`${tasks}/${id}/stat`, 'utf8')))
  return stats.every(stat => stat.slice(stat.lastIndexOf(')') + 2).startsWith('T'))
}

type Launch = (dir: string, port: number) => Promise<ChildProcess>

export async function throwaway(
  scheme: string,
  request: string,
  answer: RegExp,
  launch: Launch,
): Promise<Throwaway> {
  const dir = await fs.mkdtemp(path.join(os.tmpdir(), `tidemark-test-${scheme}-`))
  const [port = 0] = await freePorts(1)
  let child: ChildProcess | null = null
  const lastResort = () => child?.kill('SIGKILL')
  process.once('exit', lastResort)
  await start()
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    dir,
    stop,
    quit: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    pause,
    resume: () => void child?.kill('SIGCONT'),
    reload: () => void child?.kill('SIGHUP'),
    restart,
  }

  async function start(): Promise<void> {
    child = await launch(dir, port)
    if (await answersWithin(startMs, port, request, answer)) return
    await stop()
    throw new Error(`${scheme} did not answer on port ${port} within ${startMs / 1_000} s`)
  }

  async function pause(): Promise<void> {
    if (child?.pid === undefined) throw new Error(`${scheme} does not run`)
    child.kill('SIGSTOP')
    while (!(await standsStill(child.pid))) await sleep(5)
  }

  async function restart(): Promise<void> {
    await end('SIGKILL')
    await start()
  }

  async function stop(): Promise<void> {
    await end('SIGTERM')
    process.removeListener('exit', lastResort)
    await fs.rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === null) return
    const ending = child
    child = null
    if (ending.exitCode !== null || ending.signalCode !== null) return
    const ended = once(ending, 'exit')
    ending.kill(signal)
    ending.kill('SIGCONT')
    await ended
  }
}

/** A server that is written in Python takes seconds to start on a busy machine. */
const startMs = patient(30_000)

async function answersWithin(
  limitMs: number,
  port: number,
  request: string,
  answer: RegExp,
): Promise<boolean> {
  const end = Date.now() + limitMs
  while (Date.now() < end) {
    if (await answersOnce(port, request, answer)) return true
    await sleep(10)
  }
  return false
}

function answersOnce(port: number, request: string, answer: RegExp): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect({ port, host: '127.0.0.1' })
    let received = ''
    socket.setTimeout(2_000, () => socket.destroy())
    socket.on('connect', () => socket.write(request))
    socket.on('data', data => {
      received += data
      if (answer.test(received)) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer.test(received)))
  })
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

export function needed(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run this test through npm test -- FILE`)
  return value
}
