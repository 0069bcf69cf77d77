/** A whole Tidemark that can be killed and started again on the same folder, as after a crash. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePorts } from '@tidemark/config/free-ports'
import type { NatsCluster } from '@tidemark/testing/nats-cluster'
import { type RunFile, readRunFile } from '../../deploy/local/run-file.ts'
import { plantSeed, sharedBin } from '../e2e/system.ts'
import type { ChaosCluster } from './cluster.ts'

export type ChaosSystem = {
  base: string
  dir: string
  /** The three servers of NATS; null if the system has its own single server. */
  cluster: NatsCluster | null
  /** Returns null while nothing runs. */
  runFile(): RunFile | null
  /** Runs `npm run admin -- …`. */
  admin(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>
  /** Restarts after a kill of everything. Resolves when the system is ready. */
  startAgain(): Promise<void>
  stop(): Promise<void>
  removeFiles(): Promise<void>
}

const root = path.join(import.meta.dirname, '../..')
const readyLimitMs = 120_000

/**
 * Starts one process per service, so that each can be killed alone. Throws if it is not ready within two minutes.
 * @param cluster the NATS to use, and to stop at the end; by default the system starts one server of its own
 */
export async function startChaosSystem(
  more: NodeJS.ProcessEnv = {},
  cluster: ChaosCluster | null = null,
): Promise<ChaosSystem> {
  const dir = await fs.mkdtemp(path.join(os.tmpdir(), 'tidemark-chaos-'))
  const [port = 0] = await freePorts(1)
  const base = `http://127.0.0.1:${port}`
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...more,
    ...cluster?.env,
    PROCESSES: 'split',
    EGRESS_ALLOW: '127.1.0.0/16',
    TIDEMARK_BIN: sharedBin(),
    TIDEMARK_DIR: dir,
    PORT: String(port),
  }
  await plantSeed(dir, { ...more, ...cluster?.env })
  let launcher = await launch(env, dir)
  const stopAtExit = () => void launcher.kill('SIGTERM')
  process.once('exit', stopAtExit)
  await ready(base, launcher, dir)
  return {
    base,
    dir,
    cluster,
    runFile: () => readRunFile(dir),
    admin: (...args) => admin(env, args),
    async startAgain() {
      await exited(launcher)
      launcher = await launch(env, dir)
      await ready(base, launcher, dir)
    },
    async stop() {
      process.off('exit', stopAtExit)
      launcher.kill('SIGTERM')
      await exited(launcher)
      await cluster?.stop()
    },
    removeFiles: () => fs.rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  }
}

async function launch(env: NodeJS.ProcessEnv, dir: string): Promise<ChildProcess> {
  const log = await fs.open(path.join(dir, 'launcher.log'), 'a')
  const stdio: ('ignore' | number)[] = ['ignore', log.fd, log.fd]
  const launcher = spawn(process.execPath, ['deploy/local/start.ts'], { cwd: root, env, stdio })
  await log.close()
  return launcher
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  await new Promise(resolve => child.once('exit', resolve))
}

/** Waits until the system is ready and has finished the sample crawl of a new folder. */
async function ready(base: string, launcher: ChildProcess, dir: string): Promise<void> {
  const limit = Date.now() + readyLimitMs
  const hasCrawledSample = async () =>
    (await fs.readFile(path.join(dir, 'first-key.json'), 'utf8')).includes('"run":{')
  while (Date.now() < limit && launcher.exitCode === null && launcher.signalCode === null) {
    const answer = await fetch(`${base}/v1/ready`).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.status === 200 && (await hasCrawledSample().catch(() => false))) return
    await sleep(100)
  }
  const printed = await fs.readFile(path.join(dir, 'launcher.log'), 'utf8')
  launcher.kill('SIGTERM')
  await exited(launcher)
  throw new Error(`npm start did not get ready:\n${printed}`)
}

async function admin(env: NodeJS.ProcessEnv, args: string[]) {
  try {
    const run = promisify(execFile)
    const { stdout, stderr } = await run(process.execPath, ['deploy/local/admin.ts', ...args], {
      cwd: root,
      env,
    })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, stdout, stderr }
  }
}
