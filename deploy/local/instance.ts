/**
 * Starts and stops an instance on this machine: the servers, then the job that prepares them, then the services. Every
 * start and end of a process updates `run.json`. Stopping ends the services before the servers.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { secretKeyId } from '@tidemark/secrets/seal'
import type { ProgramFiles } from './bundle/programs.ts'
import { endCommands } from './command.ts'
import { inGB, sizesThatFit, spaceIn } from './disk-space.ts'
import { evidenceKey } from './evidence-key.ts'
import { Job } from './job.ts'
import type { ProcessPlan } from './layout.ts'
import { baseUrlOf, usablePort, waitUntilReady } from './listening.ts'
import { operatorKeyOf, type PasswordOf, passwordsIn } from './passwords.ts'
import { type LauncherLog, launcherLog } from './processes/launcher-log.ts'
import { claim, release, stopLeftovers } from './processes/leftovers.ts'
import { childEnvironment, metricsOf, sampleIsOver, serviceProcess } from './processes/service-process.ts'
import { type Death, Supervised } from './processes/supervisor.ts'
import { type RunFile, removeRunFile, writeRunFile } from './run-file.ts'
import { writeTargets } from './scrape-targets.ts'
import { secretKeys } from './secrets-key.ts'
import { type Addresses, chooseAddresses, startEmbedded } from './servers/embedded.ts'
import type { LaunchSettings, ServerName } from './settings.ts'
import { badSettingsExit, faultsIn } from './settings-faults.ts'
import { userConnections } from './user-connections.ts'

/** The files to run. Tests replace them. */
export type Programs = ProgramFiles & { plans: ProcessPlan[] }
export type InstanceOptions = {
  settings: LaunchSettings
  programs: Programs
  env: NodeJS.ProcessEnv
  report: (line: string) => void
}

/**
 * The argument of `prepare.ts` after a start of NATS. Only streams are declared, because the database does not depend
 * on NATS and may be unavailable.
 */
const streamsAlone = 'streams'
const betweenDeclarationsMs = 1_000

export class Instance {
  /** Additional variables for services, from their next start on. */
  extra: NodeJS.ProcessEnv = {}
  baseUrl = ''
  readonly #options: InstanceOptions
  readonly #logs: string
  readonly #servers: { [name in ServerName]?: Supervised } = {}
  readonly #services: Supervised[] = []
  readonly #fatal = Promise.withResolvers<never>()
  #addresses: Addresses | null = null
  #job: Job | null = null
  #prepare: (what?: typeof streamsAlone) => Job = () => {
    throw new Error('not started')
  }
  #isUndeclared = false
  #isDeclaring = false
  readonly #log: LauncherLog
  #secretsKey = ''
  #isClaimed = false
  #isStopping = false
  #phase: 'preparing' | 'starting' | 'started' = 'preparing'

  constructor(options: InstanceOptions) {
    this.#options = options
    this.#logs = path.join(options.settings.dir, 'logs')
    this.#log = launcherLog(this.#logs, options.report)
    this.#fatal.promise.catch(() => {}) // received only during the start
  }

  /** Resolves when /v1/ready answers 200. Throws LaunchError; the started parts must then still be stopped. */
  async start(): Promise<void> {
    const { settings, report } = this.#options
    claim(settings.dir)
    this.#isClaimed = true
    await stopLeftovers(settings.dir, report)
    const port = await usablePort(settings)
    this.baseUrl = baseUrlOf(settings.host, port, this.#options.env)
    const passwordOf = passwordsIn(settings.dir)
    const addresses = await chooseAddresses(settings, passwordOf)
    this.#addresses = addresses
    if (this.#isStopping) return
    fs.mkdirSync(this.#logs, { recursive: true })
    const env = {
      ...this.#options.env,
      ...this.#streamSizes(),
      ...this.#secretKeys(),
      ADMIN_KEY: operatorKeyOf(this.#options.env, passwordOf),
      EVIDENCE_KEY: evidenceKey(settings.dir, this.#options.env),
      ...userConnections(settings, addresses, passwordOf),
    }
    await this.#startAll(childEnvironment(env, settings, port, addresses), addresses, passwordOf)
    const waiting = { stopped: () => this.#isStopping, report: this.#options.report }
    await Promise.race([waitUntilReady(this.baseUrl, waiting), this.#fatal.promise])
    this.#phase = 'started'
  }

  /** Ends the exception for the sample site, which is about to close: its address refuses connections from then on. */
  endSample(): void {
    this.extra = {}
    for (const service of this.#services) service.send(sampleIsOver)
  }

  /** Stops the services first, so that they can still store their work. */
  async stop(): Promise<void> {
    this.#isStopping = true
    endCommands()
    this.#job?.kill()
    await Promise.all(this.#services.map(service => service.stop()))
    await Promise.all(Object.values(this.#servers).map(server => server.stop()))
    if (!this.#isClaimed) return
    removeRunFile(this.#options.settings.dir)
    release(this.#options.settings.dir)
  }

  /** Kills everything immediately; no confirmed work is lost. */
  kill(): void {
    this.#isStopping = true
    endCommands()
    this.#job?.kill()
    for (const process of [...this.#services, ...Object.values(this.#servers)]) process.kill()
  }

  /** Starts all processes. Node processes load their code while the servers start. */
  async #startAll(env: NodeJS.ProcessEnv, addresses: Addresses, passwordOf: PasswordOf): Promise<void> {
    const { settings, programs, report } = this.#options
    const around = {
      logs: this.#logs,
      started: (name: string, pid: number) => {
        this.#log.started(name, pid)
        this.#update(name)
      },
      died: (death: Death) => this.#reportDeath(death),
    }
    const log = path.join(this.#logs, 'prepare.log')
    this.#prepare = what => new Job(programs.prepare, env, log, what && [what])
    this.#job = this.#prepare()
    for (const [index, plan] of programs.plans.entries()) {
      const spec = serviceProcess(plan, index, programs, () => ({ ...env, ...this.extra }))
      this.#services.push(new Supervised(spec, around))
    }
    report('Starting Postgres, NATS and Redis …')
    await startEmbedded({
      settings,
      addresses,
      passwordOf,
      around,
      env,
      report,
      launched: (name, server) => this.#addServer(name, server),
    })
    report('Preparing the database and the streams …')
    await this.#job.run()
    report('Starting the services …')
    this.#phase = 'starting'
    for (const service of this.#services) service.send('go')
    this.#update()
  }

  /** Returns the sealing keys, and records the name of the newest one, which `rotate-secrets` reads from `run.json`. */
  #secretKeys(): NodeJS.ProcessEnv {
    const { settings, env, report } = this.#options
    const keys = secretKeys(settings.dir, env, report)
    // The services report an invalid key, with all other faults.
    this.#secretsKey = /^[0-9a-f]{64}$/i.test(keys.SECRETS_KEY) ? secretKeyId(keys.SECRETS_KEY) : ''
    return keys
  }

  /** Returns smaller size limits of streams if the disk has no space for the configured ones. */
  #streamSizes(): NodeJS.ProcessEnv {
    const { settings, env, report } = this.#options
    if (settings.external.nats !== undefined) return {}
    const space = spaceIn(settings.dir)
    const sizes = sizesThatFit(env, space)
    if (Object.keys(sizes).length > 0)
      report(`The disk has ${inGB(space.free)} left: streams get smaller size limits than configured.`)
    return sizes
  }

  #addServer(name: ServerName, server: Supervised): void {
    this.#servers[name] = server
    if (this.#isStopping) server.kill()
  }

  /** Lets a restarted service begin, and updates the pids in `run.json`. Called after starts and ends of processes. */
  #update(started?: string): void {
    if (this.#phase !== 'preparing') this.#services.find(({ spec }) => spec.name === started)?.send('go')
    if (this.#phase !== 'preparing' && started === 'nats') void this.#declareAgain()
    if (this.#addresses === null || this.#isStopping) return
    try {
      const run = this.#describe(this.#addresses)
      writeRunFile(this.#options.settings.dir, run)
      writeTargets(this.#options.settings.dir, run.processes)
    } catch (error) {
      this.#options.report(`run.json could not be written: ${(error as Error).message}`)
    }
  }

  /**
   * Declares the streams again. A NATS server that is killed while it creates a consumer forgets it, so this repeats
   * until it has succeeded once. Processes that need missing parts wait.
   */
  async #declareAgain(): Promise<void> {
    this.#isUndeclared = true
    if (this.#isDeclaring) return
    this.#isDeclaring = true
    for (let reported = ''; this.#isUndeclared && !this.#isStopping; ) {
      this.#isUndeclared = false
      this.#job = this.#prepare(streamsAlone)
      const fault = await this.#job.run().catch((error: Error) => error.message)
      if (fault === undefined) continue
      this.#isUndeclared = true
      if (fault !== reported && !this.#isStopping) this.#options.report(fault)
      reported = fault
      await sleep(betweenDeclarationsMs, undefined, { ref: false })
    }
    this.#isDeclaring = false
  }

  #describe({ postgres, nats, redis }: Addresses): RunFile {
    const server = (name: ServerName, url: string) => ({ url, pid: this.#servers[name]?.pid ?? null })
    const pidOf = (name: string) => this.#services.find(({ spec }) => spec.name === name)?.pid ?? null
    return {
      base_url: this.baseUrl,
      pid: process.pid,
      postgres: server('postgres', postgres.url),
      nats: server('nats', nats.url),
      redis: server('redis', redis.url),
      secrets_key: this.#secretsKey,
      processes: this.#options.programs.plans.map(({ name, services }, index) => ({
        name,
        services,
        pid: pidOf(name),
        ...metricsOf(this.#options.env, index),
      })),
    }
  }

  #reportDeath(death: Death): void {
    this.#log.died(death)
    this.#update()
    if (death.code === badSettingsExit && this.#phase !== 'started')
      faultsIn(this.#logs, this.#services).then(this.#fatal.reject)
    else void this.#log.reportDeath(death)
  }
}
