/** Names of the services in heartbeats, logs and commands. */

/** The system is ready when each of these services sends heartbeats. */
export const services = [
  'gateway',
  'projector',
  'auth-billing',
  'crawl-coordinator',
  'fetcher',
  'extractor',
  'scheduler',
  'webhook',
  'usage-ledger',
] as const
export type ServiceName = (typeof services)[number]
