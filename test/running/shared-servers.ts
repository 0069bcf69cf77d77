/**
 * Servers that test files share: one Postgres, one system, and programs. Each is started when the first file needs it.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { freePorts } from '@tidemark/config/free-ports'
import { programFiles } from '../../deploy/local/bundle/programs.ts'
import { findBinaries } from '../../deploy/local/servers/binaries.ts'
import { provideFonts } from '../../deploy/local/servers/fonts.ts'
import { postgresServer } from '../../deploy/local/servers/postgres.ts'
import { startServer } from '../../deploy/local/servers/server.ts'
import { type SharedSystem, sharedBin, startSharedSystem } from '../e2e/system.ts'
import { fetchPrograms, programsOf, swiftIn } from '../programs.ts'
import { systemSeed } from './system-seed.ts'

type Options = {
  root: string
  /** A folder that stays after the run. */
  cache: string
  /** Folder for data and logs. The caller removes it. */
  dir: string
  /** All test files of the run. */
  files: () => readonly string[]
  report: (line: string) => void
}

export class SharedServers implements AsyncDisposable {
  readonly #options: Options
  readonly #stack = new AsyncDisposableStack()
  readonly #started = new Map<string, Promise<NodeJS.ProcessEnv>>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Returns the environment that a test file with this text needs. */
  async environmentOf(text: string): Promise<NodeJS.ProcessEnv> {
    const needed = [this.#once('servers', () => this.#servers())]
    if (text.includes('sharedSystem()')) needed.push(this.#once('system', () => this.#system()))
    if (/\/system\.ts'|\bchaos\b/.test(text)) needed.push(this.#once('seed', () => this.#seed()))
    if (programsOf(text).length > 0) await this.#once('programs', () => this.#programs())
    if (text.includes('startObjectStore()'))
      needed.push(this.#once('object store', () => this.#objectStore()))
    return Object.assign({}, ...(await Promise.all(needed)))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }

  #once(name: string, start: () => Promise<NodeJS.ProcessEnv>): Promise<NodeJS.ProcessEnv> {
    const started = this.#started.get(name) ?? start()
    this.#started.set(name, started)
    return started
  }

  async #servers(): Promise<NodeJS.ProcessEnv> {
    const { report } = this.#options
    const bin = sharedBin()
    const [binaries, postgres] = await Promise.all([
      findBinaries(['nats', 'redis'], bin, report),
      this.#postgres(),
      provideFonts(bin, report),
    ])
    return {
      TEST_DATABASE_URL: postgres,
      TEST_NATS_BIN: binaries.nats,
      TEST_REDIS_BIN: binaries.redis,
      BROWSER_HOME: process.env.BROWSER_HOME || bin,
    }
  }

  async #postgres(): Promise<string> {
    const [port = 0] = await freePorts(1)
    // No data must survive a power failure.
    const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
    const { dir: logs } = this.#options
    const dir = path.join(logs, 'postgres')
    const server = await postgresServer({ dir, port, env: process.env, settings })
    const running = await startServer(server, { logs })
    this.#stack.defer(() => running.stop())
    return server.url
  }

  async #seed(): Promise<NodeJS.ProcessEnv> {
    // Builds the programs once: after a change, systems that start at the same time would each build them.
    await programFiles(this.#options.root, true, this.#options.report)
    const seed = {
      TEST_SYSTEM_SEED: await systemSeed(this.#options.root, this.#options.cache),
      // A second extractor takes a second of processor time to start, and more for its polls.
      TEST_REPLICAS: 'extractor=1',
    }
    Object.assign(process.env, seed) // for the systems that are started here
    return seed
  }

  async #system(): Promise<NodeJS.ProcessEnv> {
    await this.#once('seed', () => this.#seed())
    const system = await startSharedSystem()
    this.#stack.defer(() => system.stop())
    const shared: SharedSystem = { dir: system.dir, port: Number(new URL(system.base).port) }
    return { SHARED_SYSTEM: JSON.stringify(shared) }
  }

  /** Fetches the programs of all files at once. If that fails, the test that needs one reports the reason. */
  async #programs(): Promise<NodeJS.ProcessEnv> {
    const { root, files, report } = this.#options
    const texts = await Promise.all(files().map(file => fs.readFile(path.join(root, file), 'utf8')))
    await fetchPrograms(texts.flatMap(programsOf), sharedBin(), report).catch(error => report(error.message))
    return {}
  }

  async #objectStore(): Promise<NodeJS.ProcessEnv> {
    return { TEST_SWIFT: await swiftIn(sharedBin(), this.#options.report) }
  }
}
