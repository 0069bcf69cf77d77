/**
 * What the launcher reads from the environment. The services read theirs by schema; the launcher stays
 * without a schema library, for it lives as long as they do and should weigh little.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { binFolder } from './binaries.ts'
import { LaunchError } from './launch-error.ts'

export type ServerName = 'postgres' | 'nats' | 'redis'

export type LaunchSettings = {
  dir: string
  bin: string
  host: string
  /** 0: one that is free. */
  port: number
  processes: 'grouped' | 'split'
  /** Servers that are somebody else's, by URL. */
  external: { [server in ServerName]?: string }
}

export const root: string = fileURLToPath(new URL('../..', import.meta.url))

const variables: Record<ServerName, { name: string; schemes: string[] }> = {
  postgres: { name: 'DATABASE_URL', schemes: ['postgres:', 'postgresql:'] },
  nats: { name: 'NATS_URL', schemes: ['nats:', 'tls:', 'ws:', 'wss:'] },
  redis: { name: 'REDIS_URL', schemes: ['redis:', 'rediss:'] },
}

/** Throws LaunchError SETTINGS_BAD that names every fault at once. */
export function readLaunchSettings(env: NodeJS.ProcessEnv): LaunchSettings {
  const faults: string[] = []
  const external: LaunchSettings['external'] = {}
  for (const server of Object.keys(variables) as ServerName[]) {
    const { name, schemes } = variables[server]
    const url = env[name]
    if (!url) continue
    if (schemes.includes(URL.parse(url)?.protocol ?? '')) external[server] = url
    else
      faults.push(
        `${name} must be a URL that begins with ${schemes.map(scheme => `${scheme}//`).join(' or ')}`,
      )
  }
  const port = Number(env.PORT || 8080)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    faults.push('PORT must be an integer from 0 to 65535')
  const processes = env.PROCESSES || 'grouped'
  if (processes !== 'grouped' && processes !== 'split') faults.push('PROCESSES must be grouped or split')
  if (faults.length > 0) throw new LaunchError('SETTINGS_BAD', faults.join('; '))

  const dir = path.resolve(root, env.TIDEMARK_DIR || '.tidemark')
  return {
    dir,
    bin: binFolder(env, dir),
    host: env.HOST || '127.0.0.1',
    port,
    processes: processes as LaunchSettings['processes'],
    external,
  }
}

/** What the URL of each server is called in the environment of a service. */
export const urlVariables = (urls: Record<ServerName, string>): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(urls).map(([server, url]) => [variables[server as ServerName].name, url]))
