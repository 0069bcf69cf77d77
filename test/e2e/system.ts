/**
 * A whole Tidemark for a test: started as a person would, on free ports and in a folder of its own; or one for all
 * tests that only use it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { RunView } from '@tidemark/contracts/http/crawls'
import { endingWithUs } from '@tidemark/testing/servers'
import { binFolder } from '../../deploy/local/binaries.ts'
import { freePorts } from '../../deploy/local/probe.ts'

const root = join(import.meta.dirname, '../..')

export type RunFile = {
  base_url: string
  pid: number
  postgres: { url: string; pid: number | null }
  nats: { url: string; pid: number | null }
  redis: { url: string; pid: number | null }
  processes: { name: string; services: string[]; pid: number; metrics?: string }[]
}

// biome-ignore lint/suspicious/noExplicitAny: the tests read what the API answers, whatever it is
export type Answer = { status: number; headers: Headers; body: any }

export type System = {
  base: string
  dir: string
  runFile(): Promise<RunFile>
  /** The key of a new project. */
  createProject(name: string, ...more: string[]): Promise<string>
  /** Runs `npm run admin -- …`; its line of JSON. */
  admin(...args: string[]): Promise<object>
  call(key: string | null, method: string, path: string, body?: unknown, headers?: object): Promise<Answer>
  /** Starts a crawl and waits for its end. */
  crawl(key: string, request: object): Promise<RunView>
  untilEnded(key: string, id: number): Promise<RunView>
  /** What the launcher printed so far. */
  printed(): string
  stop(): Promise<void>
}

/** Programs, the browser and fonts are unpacked once for all tests. */
export const sharedBin = (): string => binFolder(process.env, join(root, '.tidemark'))

const readyLimitMs = 90_000
const endLimitMs = 240_000

/**
 * Starts a system; the test must stop it. One that does not become ready is stopped here, and nothing stays.
 * @param own a folder of the test's own, which stays; else one is made that goes when the system is stopped
 * @param within a command that it is started by
 */
export async function startSystem(
  env: NodeJS.ProcessEnv = {},
  own?: string,
  within: string[] = [],
): Promise<System> {
  const dir = own ?? (await mkdtemp(join(tmpdir(), 'tidemark-e2e-')))
  const [port = 0] = await freePorts(1)
  const all = {
    ...process.env,
    TIDEMARK_BIN: sharedBin(),
    EGRESS_ALLOW: '127.1.0.0/16',
    ...env,
    TIDEMARK_DIR: dir,
    PORT: String(port),
  }
  const launcher = [...within, process.execPath, 'deploy/local/start.ts']
  const [program = '', ...args] = endingWithUs('TERM', launcher)
  const child = spawn(program, args, { cwd: root, env: all, stdio: 'pipe' })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (text += data))

  const system: System = {
    ...systemIn(dir, port, all),
    printed: () => text,
    async stop() {
      await end(child)
      if (own === undefined) await rm(dir, { recursive: true, force: true })
    },
  }
  try {
    await ready(system, child)
    return system
  } catch (error) {
    await system.stop()
    throw error
  }
}

/**
 * The system of this whole test run, for tests that stop nothing, set nothing, and have projects of their own; where
 * there is none, one is started.
 */
export async function sharedSystem(): Promise<System> {
  const { SHARED_SYSTEM } = process.env
  if (SHARED_SYSTEM === undefined) return startSystem()
  const { dir, port } = JSON.parse(SHARED_SYSTEM) as SharedSystem
  const env = { ...process.env, TIDEMARK_DIR: dir, PORT: String(port) }
  return { ...systemIn(dir, port, env), printed: () => '', stop: async () => {} }
}

/** What a test must know of the shared one. */
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
    createProject: (name, ...more) => createProject(env, name, more),
    admin: (...args) => admin(env, args),
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
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

/** Ready, and through with the sample crawl that a fresh folder begins with. */
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
  const limit = Date.now() + endLimitMs
  for (;;) {
    const { status, body } = await call(key, 'GET', `/v1/crawls/${id}`).catch(() => ({
      status: 0,
      body: null,
    }))
    if (status === 200 && ['done', 'failed', 'cancelled'].includes(body.status)) return body
    if (Date.now() > limit) throw new Error(`run ${id} has not ended: ${JSON.stringify(body)}`)
    await sleep(100)
  }
}

async function createProject(env: NodeJS.ProcessEnv, name: string, more: string[]): Promise<string> {
  const created = await admin(env, ['create-project', '--name', name, ...more])
  return Reflect.get(created, 'api_key')
}

async function admin(env: NodeJS.ProcessEnv, args: string[]): Promise<object> {
  const { stdout } = await promisify(execFile)(process.execPath, ['deploy/local/admin.ts', ...args], {
    cwd: root,
    env,
  })
  return JSON.parse(stdout)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
