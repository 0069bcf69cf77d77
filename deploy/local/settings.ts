/** Reads the launcher's settings from the environment. The services read theirs by schema. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { services } from '@tidemark/contracts/services'
import { withRoles } from '../postgres/grants.ts'
import { LaunchError } from './launch-error.ts'
import { type Layout, plansOf } from './layout.ts'
import { ownVariable } from './own-connections.ts'
import { binFolder } from './servers/binaries.ts'

export type ServerName = 'postgres' | 'nats' | 'redis'

export type LaunchSettings = Layout & {
  dir: string
  bin: string
  host: string
  /** 0: any free port. */
  port: number
  /** External servers, by URL. */
  external: { [server in ServerName]?: string }
  /** Folder for fonts of screenshots; null: none are downloaded. */
  fonts: string | null
  /** Whether services connect to Postgres as separate users, and whether Tidemark creates their roles. */
  roles: 'made' | 'given' | 'off'
}

const maxPort = 65_535

export const root: string = fileURLToPath(new URL('../..', import.meta.url))

const variables: Record<ServerName, { name: string; schemes: string[] }> = {
  postgres: { name: 'DATABASE_URL', schemes: ['postgres:', 'postgresql:'] },
  nats: { name: 'NATS_URL', schemes: ['nats:', 'tls:', 'ws:', 'wss:'] },
  redis: { name: 'REDIS_URL', schemes: ['redis:', 'rediss:'] },
}

/** Returns the settings. Throws LaunchError SETTINGS_BAD with all faults. */
export function readLaunchSettings(env: NodeJS.ProcessEnv): LaunchSettings {
  const faults: string[] = []
  const external: LaunchSettings['external'] = {}
  for (const server of Object.keys(variables) as ServerName[]) {
    const { name, schemes } = variables[server]
    const url = env[name]
    if (!url) continue
    const parts = server === 'nats' ? serversIn(url) : [url]
    if (parts.every(part => schemes.includes(URL.parse(part)?.protocol ?? ''))) external[server] = url
    else
      faults.push(
        `${name} must be a URL that begins with ${schemes.map(scheme => `${scheme}//`).join(' or ')}`,
      )
  }
  const port = Number(env.PORT || 8080)
  if (!Number.isInteger(port) || port < 0 || port > maxPort)
    faults.push(`PORT must be an integer from 0 to ${maxPort}`)
  const processes = env.PROCESSES || 'grouped'
  if (processes !== 'grouped' && processes !== 'split') faults.push('PROCESSES must be grouped or split')
  const replicas = readReplicas(env.REPLICAS ?? '', processes, faults)
  const roles = readRoles(env, faults)
  if (env.METRICS_PORT) {
    // If PROCESSES is wrong, the number of processes is unknown, and at least one.
    const isPlanned = processes === 'grouped' || processes === 'split'
    const last = maxPort + 1 - (isPlanned ? plansOf({ processes, replicas }).length : 1)
    if (!/^[1-9]\d{0,4}$/.test(env.METRICS_PORT) || Number(env.METRICS_PORT) > last)
      faults.push(`METRICS_PORT must be a port from 1 to ${last}; each process has its own from there on`)
  }
  const fonts = env.BROWSER_FONTS || 'fetched'
  if (fonts !== 'fetched' && fonts !== 'none') faults.push('BROWSER_FONTS must be fetched or none')
  // Read by start.ts, before any schema or setting.
  if (env.BUNDLE && env.BUNDLE !== 'on' && env.BUNDLE !== 'off') faults.push('BUNDLE must be on or off')
  if (faults.length > 0) throw new LaunchError('SETTINGS_BAD', faults.join('; '))

  const dir = path.resolve(root, env.TIDEMARK_DIR || '.tidemark')
  const bin = binFolder(env, dir)
  return {
    dir,
    bin,
    host: env.HOST || '127.0.0.1',
    port,
    processes: processes as LaunchSettings['processes'],
    replicas,
    external,
    roles,
    fonts: fonts === 'none' || env.BROWSER === 'off' ? null : env.BROWSER_HOME || bin,
  }
}

/** Returns the URL of each server of a cluster. A server without a scheme has that of the first. */
function serversIn(url: string): string[] {
  const [scheme = ''] = /^[a-z]+:\/\//.exec(url) ?? []
  return url.split(',').map(part => (part.includes('://') ? part : scheme + part))
}

/**
 * Reads DATABASE_ROLES. The default for an external server is one user for all services, because it may not permit us
 * to create roles.
 */
function readRoles(env: NodeJS.ProcessEnv, faults: string[]): LaunchSettings['roles'] {
  const rolesSetting = env.DATABASE_ROLES || (env.DATABASE_URL ? 'off' : 'made')
  if (rolesSetting !== 'made' && rolesSetting !== 'given' && rolesSetting !== 'off')
    faults.push('DATABASE_ROLES must be made, given or off')
  else if (rolesSetting === 'given') {
    const missing = withRoles.map(service => ownVariable('DATABASE_URL', service)).filter(name => !env[name])
    if (missing.length > 0) faults.push(`DATABASE_ROLES=given needs ${missing.join(', ')}`)
  }
  return rolesSetting as LaunchSettings['roles']
}

const maxReplicas = 64

function readReplicas(text: string, processes: string, faults: string[]): Map<string, number> {
  const replicas = new Map<string, number>()
  for (const part of text.split(',').filter(part => part.trim() !== '')) {
    const [, service = '', count = ''] = /^\s*([a-z-]+)\s*=\s*(\d{1,2})\s*$/.exec(part) ?? []
    const isKnown = (services as readonly string[]).includes(service)
    if (isKnown && Number(count) >= 1 && Number(count) <= maxReplicas) replicas.set(service, Number(count))
    else
      faults.push(
        `REPLICAS must have the form fetcher=2,extractor=3, with services of Tidemark; "${part}" is not`,
      )
  }
  const others = [...replicas.keys()].filter(service => service !== 'extractor')
  if (others.length > 0 && processes !== 'split')
    faults.push(
      `REPLICAS of ${others.join(', ')} needs PROCESSES=split; without it only extractor has a number`,
    )
  return replicas
}

/** Returns the environment variables of the services with the URLs of the servers. */
export const urlVariables = (urls: Record<ServerName, string>): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(urls).map(([server, url]) => [variables[server as ServerName].name, url]))
