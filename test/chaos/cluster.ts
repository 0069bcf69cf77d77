/** A NATS of three servers for a run of chaos with one user per service, as in a large installation. */
import { randomBytes } from 'node:crypto'
import { services } from '@tidemark/contracts/services'
import { type NatsCluster, natsCluster } from '@tidemark/testing/nats-cluster'
import { ownConnections } from '../../deploy/local/own-connections.ts'
import { findBinaries } from '../../deploy/local/servers/binaries.ts'
import { authorization } from '../../deploy/nats/permissions.ts'
import { administrator } from '../../deploy/nats/users.ts'
import { sharedBin } from '../e2e/system.ts'

export type ChaosCluster = NatsCluster & {
  /** Settings for the launcher: the addresses of the servers and the user of each service. */
  env: NodeJS.ProcessEnv
}

/** Starts three servers that each keep every stream. */
export async function startCluster(report: (line: string) => void, hasWire: boolean): Promise<ChaosCluster> {
  const { nats: program = '' } = await findBinaries(['nats'], sharedBin(), report)
  const password = randomBytes(16).toString('hex')
  const passwordOf = (user: string) => `${user}-${password}`
  const cluster = await natsCluster({
    program,
    more: authorization(passwordOf, administrator),
    user: { user: administrator, pass: passwordOf(administrator) },
    hasWire,
  })
  const users = services.map(service => ({ service, user: service, password: passwordOf(service) }))
  const env = {
    STREAM_REPLICAS: '3',
    NATS_URL: cluster.url,
    ...ownConnections('NATS_URL', cluster.url, users),
  }
  return { ...cluster, env }
}
