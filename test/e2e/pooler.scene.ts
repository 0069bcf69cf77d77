/** A PgBouncer in front of the tests' Postgres, and a database whose roles connect through it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '@tidemark/config/free-ports'
import type { ServiceName } from '@tidemark/contracts/services'
import { freshDatabase } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { ownVariable } from '../../deploy/local/own-connections.ts'
import { roleOf, withRoles } from '../../deploy/postgres/grants.ts'

export type Mode = 'transaction' | 'session'

const stats = 'stats'
const passwordOf = (role: string) => `password-of-${role}`

/**
 * Creates a new database with a role for each service. `start` starts the pooler in front of it.
 * @param command starts PgBouncer
 */
export async function poolerOf(command: readonly string[]) {
  const database = await freshDatabase()
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  const roles = await makeRoles(owner)
  const { port: serverPort, pathname } = new URL(database.url)
  const [port = 0] = await freePorts(1)
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-pooler-'))
  await chmod(dir, 0o755) // PgBouncer refuses to run as root
  const urlAs = (role: string, path = pathname): string =>
    `postgres://${role}:${passwordOf(role)}@127.0.0.1:${port}${path}`
  /** Queries PgBouncer's own statistics. */
  const show = async (what: string): Promise<Record<string, string>[]> => {
    const client = new pg.Client({ connectionString: urlAs(stats, '/pgbouncer') })
    await client.connect()
    return (await client.query(`show ${what}`).finally(() => client.end())).rows
  }
  let running: Awaited<ReturnType<typeof started>> | null = null
  const kill = async () => {
    if (running === null) return
    const { child } = running
    const exited = once(child, 'exit')
    if (child.kill('SIGKILL')) await exited
  }

  return {
    owner,
    roles,
    urlAs,
    show,
    /** The output of the pooler since its start. */
    log: () => running?.log() ?? '',
    /**
     * Starts the pooler in this mode. Kills a running pooler first.
     * @param poolSize connections to the server per role
     */
    async start(mode: Mode, poolSize: number) {
      await kill()
      const file = await configure(dir, [...roles.values(), stats], {
        listen_port: port,
        pool_mode: mode,
        default_pool_size: poolSize,
        server: `host=127.0.0.1 port=${serverPort}`,
      })
      running = await started([...command, file], () => show('version'))
    },
    /** Settings for the launcher: the owner connects directly, each service through the pooler. */
    env: {
      DATABASE_URL: database.url,
      DATABASE_ROLES: 'given',
      ...Object.fromEntries(
        [...roles].map(([service, role]) => [ownVariable('DATABASE_URL', service), urlAs(role)]),
      ),
    },
    async close() {
      await kill()
      for (const role of roles.values()) await owner.query(`drop owned by ${role}`)
      for (const role of roles.values()) await owner.query(`drop role ${role}`)
      await owner.end()
      await database.drop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/**
 * Creates roles with unique names, because roles belong to the whole server. Each has the limits that services set when
 * they connect.
 */
async function makeRoles(owner: pg.Client): Promise<Map<ServiceName, string>> {
  const suffix = randomBytes(4).toString('hex')
  const roles = new Map(withRoles.map(service => [service, `${roleOf(service)}_${suffix}`]))
  for (const role of roles.values()) {
    await owner.query(`create role ${role} login password '${passwordOf(role)}'`)
    await owner.query(`alter role ${role} set statement_timeout = '30s'`)
    await owner.query(`alter role ${role} set lock_timeout = '10s'`)
  }
  return roles
}

/** Writes a configuration as in docs/deploying.md and returns its path. */
async function configure(
  dir: string,
  users: readonly string[],
  { server, ...own }: { server: string; listen_port: number; pool_mode: Mode; default_pool_size: number },
): Promise<string> {
  const settings = {
    ...own,
    listen_addr: '127.0.0.1',
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(dir, 'users.txt'),
    stats_users: stats,
    max_client_conn: 500,
    max_prepared_statements: 200,
    ignore_startup_parameters: 'statement_timeout,lock_timeout',
    ...(process.getuid?.() === 0 && { user: 'nobody' }),
  }
  await writeFile(settings.auth_file, users.map(role => `"${role}" "${passwordOf(role)}"\n`).join(''))
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  const file = join(dir, 'pgbouncer.ini')
  await writeFile(file, `[databases]\n* = ${server}\n[pgbouncer]\n${lines.join('')}`)
  return file
}

async function started([program = '', ...args]: string[], probe: () => Promise<unknown>) {
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr?.on('data', data => (log += data))
  const isUp = () =>
    probe().then(
      () => true,
      () => child.exitCode !== null,
    )
  await until(isUp, 20_000)
  if (child.exitCode !== null) throw new Error(`PgBouncer exited: ${log}`)
  return { child, log: () => log }
}
