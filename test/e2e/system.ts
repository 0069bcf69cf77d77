/**
 * A whole Tidemark for a test, started with its launcher on free ports and in a folder of its own. Tests that change
 * nothing of it share one system.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePorts } from '@tidemark/config/free-ports'
import type { RunView } from '@tidemark/contracts/http/crawls'
import { endingWithUs } from '@tidemark/testing/servers'
import { patient } from '@tidemark/testing/slowness'
import { pauseAfter } from '@tidemark/testing/until'
import { run as createProject } from '../../deploy/admin/create-project.ts'
import type { RunFile as AnyRunFile } from '../../deploy/local/run-file.ts'
import { binFolder } from '../../deploy/local/servers/binaries.ts'
import { textOf } from '../recorded-answers.ts'
import { admin } from './admin.ts'

const root = join(import.meta.dirname, '../..')

/** The run file while all processes of the instance run. */
export type RunFile = Omit<AnyRunFile, 'processes'> & {
  processes: (AnyRunFile['processes'][number] & { pid: number })[]
}

// biome-ignore lint/suspicious/noExplicitAny: the tests read any answer of the API
export type Answer = { status: number; headers: Headers; body: any }

export type System = {
  base: string
  dir: string
  runFile(): Promise<RunFile>
  /** Creates a project and returns its key. */
  createProject(name: string, ...more: string[]): Promise<string>
  /**
   * Runs `npm run admin -- …` and returns its JSON output. Rejects like `execFile`, with `code`, `stdout` and `stderr`.
   * See admin.ts.
   */
  admin(...args: string[]): Promise<object>
  call(key: string | null, method: string, path: string, body?: unknown, headers?: object): Promise<Answer>
  /** Starts a crawl and waits for its end. */
  crawl(key: string, request: object): Promise<RunView>
  untilEnded(key: string, id: number): Promise<RunView>
  /** Returns the launcher's output so far. */
  printed(): string
  stop(): Promise<void>
}

/** Returns the folder of programs, the browser and fonts, which are unpacked once for all tests. */
export const sharedBin = (): string => binFolder(process.env, join(root, '.tidemark'))

/**
 * The default of REPLICAS, for tests of work that extractors divide or take over from another. In a test run all other
 * systems have one.
 */
export const twoExtractors = 'extractor=2'

const readyLimitMs = patient(90_000)
const endLimitMs = patient(240_000)
/** The longest pause between two polls of a run. */
const maxPauseMs = 300

/**
 * Starts a system, which the test must stop. If it does not become ready, it is stopped and cleaned up here.
 * @param own a folder of the test, which is kept; by default a new one that is removed when the system stops
 * @param within a command that runs the launcher
 * @param checkout the folder of the version that runs; by default this one
 */
export async function startSystem(
  env: NodeJS.ProcessEnv = {},
  own?: string,
  within: string[] = [],
  checkout = root,
): Promise<System> {
  const { system, child } = await launchSystem(env, own, within, checkout)
  try {
    await ready(system, child)
    return system
  } catch (error) {
    await system.stop()
    throw error
  }
}

/** Starts a system like `startSystem`, and does not wait until it is ready. */
export async function launchSystem(
  env: NodeJS.ProcessEnv,
  own?: string,
  within: string[] = [],
  checkout = root,
): Promise<{ system: System; child: ChildProcess }> {
  const dir = own ?? (await mkdtemp(join(tmpdir(), 'tidemark-e2e-')))
  await plantSeed(dir, env)
  const [port = 0] = await freePorts(1)
  const all = {
    ...process.env,
    TIDEMARK_BIN: sharedBin(),
    EGRESS_ALLOW: '127.1.0.0/16',
    REPLICAS: process.env.TEST_REPLICAS ?? process.env.REPLICAS,
    ...env,
    TIDEMARK_DIR: dir,
    PORT: String(port),
  }
  const launcher = [...within, process.execPath, 'deploy/local/start.ts']
  const [program = '', ...args] = endingWithUs('TERM', launcher)
  const child = spawn(program, args, { cwd: checkout, env: all, stdio: 'pipe' })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (text += data))
  const system = {
    ...systemIn(dir, port, all),
    printed: () => text,
    async stop() {
      await end(child)
      if (own === undefined) await rm(dir, { recursive: true, force: true })
    },
  }
  return { system, child }
}

/** Copies the prepared data folder of this test run into the empty folder of a system with its own servers. */
export async function plantSeed(dir: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { TEST_SYSTEM_SEED } = process.env
  const isForeign = env.DATABASE_URL !== undefined || env.NATS_URL !== undefined
  if (TEST_SYSTEM_SEED === undefined || isForeign) return
  if ((await readdir(dir)).length === 0)
    await promisify(execFile)('cp', ['-a', '--reflink=auto', `${TEST_SYSTEM_SEED}/.`, dir])
}

/** Settings of the shared system: tests should not wait long for timeouts. */
const sharedSettings = { MAP_TIMEOUT_MS: '6000', REPLICAS: twoExtractors }

/** Starts a system with the settings of the shared one. */
export const startSharedSystem = (): Promise<System> => startSystem(sharedSettings)

/**
 * Returns the shared system of this test run, for tests that stop nothing, change no settings, and have their own
 * projects. Starts one if the run has none.
 */
export async function sharedSystem(): Promise<System> {
  const { SHARED_SYSTEM } = process.env
  if (SHARED_SYSTEM === undefined) return startSharedSystem()
  const { dir, port } = JSON.parse(SHARED_SYSTEM) as SharedSystem
  const env = { ...process.env, TIDEMARK_DIR: dir, PORT: String(port) }
  const system = systemIn(dir, port, env)
  /** Uses another name if the project exists from an earlier run of the same file. */
  const createProject: System['createProject'] = (name, ...more) =>
    system.createProject(name, ...more).catch(error => {
      if (error.reason !== 'name_taken') throw error
      return system.createProject(`${name}-${Date.now()}`, ...more)
    })
  return { ...system, createProject, printed: () => '', stop: async () => {} }
}

/** The address of the shared system. */
export type SharedSystem = { dir: string; port: number }

function systemIn(dir: string, port: number, env: NodeJS.ProcessEnv): Omit<System, 'printed' | 'stop'> {
  const base = `http://127.0.0.1:${port}`
  const call = caller(base)
  const untilEnded = (key: string, id: number) => pollUntilEnded(call, key, id)
  return {
    base,
    dir,
    call,
    untilEnded,
    runFile: async () => JSON.parse(await readFile(join(dir, 'run.json'), 'utf8')),
    // In this process, because each Node process costs half a second.
    createProject: async (name, ...more) => (await createProject(['--name', name, ...more], dir)).api_key,
    admin: (...args) => admin(dir, env, args),
    async crawl(key, request) {
      const { status, body } = await call(key, 'POST', '/v1/crawls', request)
      if (status !== 202 && status !== 201)
        throw new Error(`POST /v1/crawls answered ${status}: ${JSON.stringify(body)}`)
      return untilEnded(key, body.id)
    },
  }
}

const caller =
  (base: string): System['call'] =>
  async (key, method, path, body, headers = {}) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await textOf(response, { method, path })
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

/** Waits until the system is ready and has finished the sample crawl of a new folder. */
async function ready({ call, printed }: System, child: ChildProcess): Promise<void> {
  const limit = Date.now() + readyLimitMs
  for (;;) {
    const ended = child.exitCode ?? child.signalCode
    if (ended !== null) throw new Error(`npm start ended with ${ended}:\n${printed()}`)
    if (Date.now() > limit) throw new Error(`not ready in ${readyLimitMs / 1000} s:\n${printed()}`)
    const answer = await call(null, 'GET', '/v1/ready').catch(() => null)
    if (answer?.status === 200 && printed().split('curl ').length > 3) return
    await sleep(100)
  }
}

async function pollUntilEnded(call: System['call'], key: string, id: number): Promise<RunView> {
  const began = Date.now()
  for (;;) {
    const { status, body } = await call(key, 'GET', `/v1/crawls/${id}`).catch(() => ({
      status: 0,
      body: null,
    }))
    if (status === 200 && ['done', 'failed', 'cancelled'].includes(body.status)) return body
    const ms = Date.now() - began
    if (ms > endLimitMs) throw new Error(`run ${id} did not end: ${JSON.stringify(body)}`)
    await sleep(pauseAfter(ms, maxPauseMs))
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
