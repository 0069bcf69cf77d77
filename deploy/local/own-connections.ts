/**
 * Gives each service its own user of the servers, and the keys that it needs. In an environment that several services
 * share, DATABASE_URL_GATEWAY is the DATABASE_URL of the gateway. The code of services does not depend on it.
 */
import { type ServiceName, services } from '@tidemark/contracts/services'

const shared = ['DATABASE_URL', 'NATS_URL'] as const
type Shared = (typeof shared)[number]

export const ownVariable = (variable: Shared, service: string): string =>
  `${variable}_${service.toUpperCase().replaceAll('-', '_')}`

/** Returns the environment of one service, without the connections of others. */
export function environmentOf(service: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = shared.map(variable => [variable, env[ownVariable(variable, service)] || env[variable]])
  return { ...withoutConnections(env), ...Object.fromEntries(own.filter(([, url]) => url !== undefined)) }
}

/** Keys of the operator, and the one that signs evidence. */
const keysOfGateway: ReadonlySet<string> = new Set(['ADMIN_KEY', 'EVIDENCE_KEY', 'EVIDENCE_KEYS_OLD'])

/**
 * Returns the environment of a process with these services. It lacks the owner's connection if services have their own,
 * and the keys of the gateway if another process has the gateway.
 */
export function environmentOfAll(names: readonly string[], env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = shared.flatMap(variable => {
    const isParted = services.some(service => env[ownVariable(variable, service)])
    return isParted ? names.map(name => ownVariable(variable, name)) : [variable]
  })
  const given = kept.filter(name => env[name])
  const others = Object.entries(withoutConnections(env)).filter(
    ([name]) => names.includes('gateway') || !keysOfGateway.has(name),
  )
  return { ...Object.fromEntries(others), ...Object.fromEntries(given.map(name => [name, env[name]])) }
}

/** Returns the variables with the users and passwords of these services. */
export const ownConnections = (
  variable: Shared,
  url: string,
  users: readonly { service: ServiceName; user: string; password: string }[],
): NodeJS.ProcessEnv =>
  Object.fromEntries(
    users.map(({ service, user, password }) => [ownVariable(variable, service), asUser(url, user, password)]),
  )

/** Returns the URL of the same server, or of the whole cluster, for another user. */
export function asUser(url: string, user: string, password: string): string {
  const [, first = url, others = ''] = /^([a-z]+:\/\/(?:[^@/]*@)?[^,]*)(,.*)?$/.exec(url) ?? []
  const own = new URL(first)
  own.username = user
  own.password = password
  return own.href + others.replaceAll(/,([a-z]+:\/\/)?([^@,]*@)?/g, ',')
}

const ours = new Set<string>(
  shared.flatMap(variable => [variable, ...services.map(service => ownVariable(variable, service))]),
)

const withoutConnections = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !ours.has(name)))
