/** Returns the connection of each service, with its own user and password, for servers whose users Tidemark creates. */
import { services } from '@tidemark/contracts/services'
import { roleOf, withRoles } from '../postgres/grants.ts'
import { ownConnections } from './own-connections.ts'
import type { PasswordOf } from './passwords.ts'
import { type Addresses, natsPasswords } from './servers/embedded.ts'
import type { LaunchSettings } from './settings.ts'

export function userConnections(
  { roles, external }: Pick<LaunchSettings, 'roles' | 'external'>,
  { postgres, nats }: Addresses,
  passwordOf: PasswordOf,
): NodeJS.ProcessEnv {
  const asRoles = withRoles.map(service => {
    const user = roleOf(service)
    return { service, user, password: passwordOf(`postgres ${user}`) }
  })
  const passwords = natsPasswords(passwordOf)
  const asUsers = services.map(service => ({ service, user: service, password: passwords(service) }))
  return {
    ...(external.nats === undefined && ownConnections('NATS_URL', nats.url, asUsers)),
    DATABASE_ROLES: roles,
    ...(roles === 'made' && ownConnections('DATABASE_URL', postgres.url, asRoles)),
  }
}
