/**
 * Opens the servers into which a backup is restored: those that the environment names, or embedded ones. The files of
 * embedded servers become the data of the instance only when the restore succeeds, so a failed or killed restore leaves
 * no data.
 */
import fs from 'node:fs'
import path from 'node:path'
import { LaunchError } from '../../local/launch-error.ts'
import { passwordsIn } from '../../local/passwords.ts'
import { claim, release, stopLeftovers } from '../../local/processes/leftovers.ts'
import type { Supervised } from '../../local/processes/supervisor.ts'
import { chooseAddresses, startEmbedded } from '../../local/servers/embedded.ts'
import { readLaunchSettings } from '../../local/settings.ts'
import { AdminError } from '../admin-error.ts'
import type { Print } from '../print.ts'

type Urls = { natsUrl: string; databaseUrl: string }

/** Runs `use` with the servers. Throws AdminError while an instance runs in the folder, or if it has data. */
export async function withEmptyServers<T>(
  dir: string,
  print: Print,
  use: (urls: Urls) => Promise<T>,
): Promise<T> {
  const settings = readLaunchSettings({ ...process.env, TIDEMARK_DIR: dir })
  const { postgres, nats } = settings.external
  if (postgres !== undefined && nats !== undefined) return use({ natsUrl: nats, databaseUrl: postgres })
  const data = path.join(dir, 'data')
  if (fs.existsSync(data))
    throw new AdminError(`${data} exists. Name another folder in TIDEMARK_DIR, or move this one away.`)
  takeOver(dir)
  const fresh = path.join(dir, 'restoring')
  try {
    await stopLeftovers(dir, print)
    fs.rmSync(fresh, { recursive: true, force: true })
    // Nothing in Redis belongs to a backup.
    const temporary = {
      ...settings,
      dir: fresh,
      external: { ...settings.external, redis: 'redis://127.0.0.1' },
    }
    const result = await withServers({ ...temporary, owner: dir }, print, use)
    fs.renameSync(path.join(fresh, 'data'), data)
    return result
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true })
    release(dir)
  }
}

function takeOver(dir: string): void {
  try {
    claim(dir)
  } catch (error) {
    throw error instanceof LaunchError ? new AdminError(error.message) : error
  }
}

type Settings = ReturnType<typeof readLaunchSettings> & {
  /** The folder whose passwords the servers use. */
  owner: string
}

async function withServers<T>(settings: Settings, print: Print, use: (urls: Urls) => Promise<T>): Promise<T> {
  const passwordOf = passwordsIn(settings.owner)
  const addresses = await chooseAddresses(settings, passwordOf)
  const logs = path.join(settings.dir, 'logs')
  fs.mkdirSync(logs, { recursive: true })
  const servers: Supervised[] = []
  try {
    await startEmbedded({
      settings,
      addresses,
      passwordOf,
      around: { logs },
      env: process.env,
      report: print,
      launched: (_name, server) => servers.push(server),
    })
    return await use({ natsUrl: addresses.nats.url, databaseUrl: addresses.postgres.url })
  } finally {
    await Promise.all(servers.map(server => server.stop()))
  }
}
