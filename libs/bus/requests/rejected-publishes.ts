/**
 * Shows the operator that NATS rejects messages of this service, because its users have the permissions of an earlier
 * version. NATS reports it only to the connection. Without this, a message that expects no response would be lost
 * silently.
 */
import { type NatsConnection, PermissionViolationError } from '@nats-io/transport-node'
import { named } from '@tidemark/contracts/health'
import { reportFailing } from '../troubles.ts'

/**
 * Milliseconds that the warning lasts after a rejected message. It must last until the next one, even if they are rare.
 */
const keptMs = 10 * 60_000

/** Watches until the connection closes. The last rejected subject is a warning in the health of the service. */
export async function watchRejectedPublishes(nc: NatsConnection): Promise<void> {
  for await (const status of nc.status()) {
    if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue
    const { operation, message } = status.error
    if (operation !== 'publish') continue
    const text = `${message}. Update the users of NATS to this version, and reload its configuration.`
    reportFailing(nc, 'publish', named('publish_rejected', text), 0, { weight: 'warning', keptMs })
  }
}
