/** The services by name, as they beat, log and are started. */

/** Each of these must be heard before the whole is ready. */
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
