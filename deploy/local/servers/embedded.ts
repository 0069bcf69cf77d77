/** Starts Postgres, NATS and Redis concurrently, except servers for which a URL is set. */
import path from 'node:path'
import { freePorts } from '@tidemark/config/free-ports'
import { administrator } from '../../nats/users.ts'
import type { PasswordOf } from '../passwords.ts'
import { Supervised, type Surroundings } from '../processes/supervisor.ts'
import type { LaunchSettings, ServerName } from '../settings.ts'
import { findBinaries, neededServers } from './binaries.ts'
import { natsServer, natsUrl } from './nats.ts'
import { postgresServer, postgresUrl } from './postgres.ts'
import { redisServer, redisUrl } from './redis.ts'
import { type Server, untilServing } from './server.ts'

export type Addresses = Record<ServerName, { url: string; port: number }>

/** Chooses the addresses before any server runs, so that the code of the services can be loaded meanwhile. */
export async function chooseAddresses(
  { external, roles }: LaunchSettings,
  passwordOf: PasswordOf,
): Promise<Addresses> {
  const [postgres = 0, nats = 0, redis = 0] = await freePorts(3)
  return {
    postgres: {
      port: postgres,
      url: external.postgres ?? postgresUrl(postgres, roles === 'off' ? undefined : passwordOf(owner)),
    },
    nats: { port: nats, url: external.nats ?? natsUrl(nats, natsPasswords(passwordOf)(administrator)) },
    redis: { port: redis, url: external.redis ?? redisUrl(redis) },
  }
}

/** Name by which the password of the database owner is derived. */
const owner = 'postgres owner'

/** Returns the passwords of NATS users. They differ from those of Postgres users with the same name. */
export const natsPasswords =
  (passwordOf: PasswordOf): PasswordOf =>
  user =>
    passwordOf(`nats ${user}`)

export type EmbeddedOptions = {
  settings: LaunchSettings
  addresses: Addresses
  passwordOf: PasswordOf
  around: Surroundings
  env: NodeJS.ProcessEnv
  report: (line: string) => void
  /** Called for each server as soon as its process exists, so that it can be stopped while others still start. */
  launched: (name: ServerName, server: Supervised) => void
}

/** Starts the servers and resolves when all respond. Throws LaunchError. */
export async function startEmbedded({
  settings,
  addresses,
  passwordOf,
  around,
  env,
  report,
  launched,
}: EmbeddedOptions): Promise<void> {
  const { dir, bin, external } = settings
  const isOurs = (name: ServerName) => external[name] === undefined
  const binaries = findBinaries(neededServers(external), bin, report)
  const optionsOf = (name: ServerName) => ({
    dir: path.join(dir, 'data', name),
    port: addresses[name].port,
    env,
  })
  const makers: Record<ServerName, () => Promise<Server>> = {
    postgres: () => postgresServer({ ...optionsOf('postgres'), ...passwordIn(addresses.postgres.url) }),
    nats: async () => {
      const { nats: program = '' } = await binaries
      return natsServer({ ...optionsOf('nats'), program, passwordOf: natsPasswords(passwordOf) })
    },
    redis: async () => redisServer({ ...optionsOf('redis'), program: (await binaries).redis ?? '' }),
  }
  const starts = (Object.keys(makers) as ServerName[]).filter(isOurs).map(async name => {
    const server = await makers[name]()
    const running = new Supervised(server, around)
    launched(name, running)
    await untilServing(server, running, around.logs)
  })
  await Promise.all([binaries, ...starts])
}

function passwordIn(url: string): { password?: string } {
  const { password } = new URL(url)
  return password === '' ? {} : { password }
}
